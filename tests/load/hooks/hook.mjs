// The hook in Node: what countersign-hook does, for the comparison of hook_bench.sh. argv[2] is the socket.
import { readFileSync } from "node:fs";
import { connect } from "node:net";

const number = (n) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(n);
  return bytes;
};
const field = (data) => Buffer.concat([number(data.length), data]);
const text = (value) => field(Buffer.from(value));

const call = readFileSync(0);
const body = Buffer.concat([
  text("claude"), text("PermissionRequest"), number(125000), text(process.cwd()), text(process.env.PATH ?? ""),
  number(0), number(0), field(call),
]);
let reply = Buffer.alloc(0);
const daemon = connect(process.argv[2], () => daemon.write(Buffer.concat([Buffer.from("CS\x01\x01"), field(body)])));
daemon.on("error", () => process.exit(0));
daemon.on("data", (data) => {
  reply = Buffer.concat([reply, data]);
});
daemon.on("end", () => {
  process.stdout.write(reply.subarray(4));
});
