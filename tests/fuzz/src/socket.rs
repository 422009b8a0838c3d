//! What comes through the two sockets of this machine, from whoever can connect.

use countersign_ipc::{
    control::{decode_reply, decode_request, encode_reply, encode_request},
    frame::{self, BODY, HEAD, Head, REPLY},
};

/// A hook's frame: one form, and nothing allocated for a body that is too long. Then the same bytes as a reply.
pub fn hook_frame(bytes: &[u8]) -> bool {
    if let Some(Ok(head)) = bytes.first_chunk::<HEAD>().map(|head| Head::decode(*head)) {
        assert!(head.length <= BODY);
    }
    if let Some(Ok(length)) = bytes.first_chunk().map(|length| frame::decode_reply_length(*length)) {
        assert!(length <= REPLY);
    }
    let reply = frame::encode_reply(bytes).expect("short bytes");
    let (length, output) = reply.split_first_chunk().expect("a length");
    assert_eq!((frame::decode_reply_length(*length), output), (Ok(bytes.len()), bytes));
    let Ok((kind, call)) = frame::decode(bytes) else { return false };
    assert_eq!(frame::encode(kind, &call).as_deref(), Ok(bytes));
    true
}

/// A line of the control socket, from either side: what is read is written as one line that reads the same.
pub fn control_line(bytes: &[u8]) -> bool {
    let (request, reply) = (decode_request(bytes), decode_reply(bytes));
    assert!(request.is_err() || reply.is_err(), "a line of both sides");
    if let Ok((id, request)) = &request
        && let Ok(line) = encode_request(*id, request)
    {
        assert_one_line(&line);
        assert_eq!(decode_request(&line).expect("our own line"), (*id, request.clone()));
    }
    if let Ok((id, reply)) = &reply {
        let line = encode_reply(*id, reply).expect("hardly longer than it came");
        assert_one_line(&line);
        assert_eq!(decode_reply(&line).expect("our own line"), (*id, reply.clone()));
    }
    request.is_ok() || reply.is_ok()
}

fn assert_one_line(line: &[u8]) {
    assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
}
