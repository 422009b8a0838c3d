//! What is taken for a secret, and what is not.

use proptest::prelude::*;

use super::*;

fn folded(text: &str) -> Vec<(&str, &'static str)> {
    find(text).into_iter().map(|secret| (text.get(secret.range).unwrap(), secret.kind)).collect()
}

#[track_caller]
fn assert_one(text: &str, secret: &str) {
    let found = folded(text);
    assert!(found.len() == 1 && found[0].0 == secret, "{text}\n  found {found:?}\n  not {secret}");
}

#[track_caller]
fn assert_none(text: &str) {
    assert_eq!(folded(text), [], "{text}");
}

#[test]
fn tokens_of_providers_are_found_wherever_they_stand() {
    let github = "ghp_aB3dE5gH1jK2mN4pQ6rS8tU0vW9xY7zA1b2C";
    for text in [
        format!("git push https://{github}@github.com/ada/site"),
        format!("curl -H 'Authorization: token {github}' x"),
        format!("echo one\\n{github}\\n"),
        format!("+{github}"),
        format!("{{\"a\":\"{github}\"}}"),
        format!("mcp__{github}__x"),
    ] {
        assert_one(&text, github);
        assert_eq!(folded(&text)[0].1, "GitHub token");
    }
    assert_one("use AKIAIOSFODNN7EXAMPLE now", "AKIAIOSFODNN7EXAMPLE");
    let web = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
    assert_one(&format!("x {web} y"), web);
    assert_one(
        "bot 123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1 x",
        "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
    );
}

#[test]
fn private_keys_are_found_whole_in_files_changes_and_one_line_strings() {
    let key = "-----BEGIN OPENSSH PRIVATE KEY-----\n+b3BlbnNzaC1rZXktdjEAAAAABG5v\n+bmUAAAAEbm9uZQAAAAAAAAAB\n+-----END OPENSSH PRIVATE KEY-----";
    assert_one(&format!("+a\n+{key}\n+b"), key);
    let line = "-----BEGIN RSA PRIVATE KEY-----\\nMIIEow\\n-----END RSA PRIVATE KEY-----";
    assert_one(&format!("KEYS=\"{line}\""), line);
    let cut = "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOYBF";
    assert_one(&format!("a {cut}"), cut);
    assert_none("-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOC\n-----END PUBLIC KEY-----");
    assert_none("-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE\n-----END CERTIFICATE-----");
}

#[test]
fn passwords_in_addresses_are_found() {
    assert_one("psql postgres://ada:hunter2@db.example/site", "hunter2");
    assert_one("redis://:s3cr3t@localhost:6379/0", "s3cr3t");
    assert_one("git clone https://x-access-token:p4ssw0rd99@git.example/a.git", "p4ssw0rd99");
    assert_one("https://aB3dE5gH1jK2mN4pQ6rS8tU0@git.example/a", "aB3dE5gH1jK2mN4pQ6rS8tU0");
    for text in [
        "git clone ssh://git@github.com/ada/site",
        "https://example.org:8443/@scope/pkg",
        "curl https://$USER:$PASS@example.org",
        "https://user:<password>@example.org",
        "npm i https://registry.npmjs.org/@types/node/-/node-20.1.0.tgz",
    ] {
        assert_none(text);
    }
}

#[test]
fn values_behind_the_name_of_a_secret_are_found() {
    for (text, secret) in [
        ("export TOKEN=abc123def456", "abc123def456"),
        ("PGPASSWORD=letmein psql -h db", "letmein"),
        ("mysqldump --password=hunter2 db", "hunter2"),
        ("tool --password hunter2 --verbose", "hunter2"),
        ("tool --api-key 'k3y-0f-my-0wn'", "k3y-0f-my-0wn"),
        ("curl -d '{\"password\": \"hunter2\"}' x", "hunter2"),
        ("curl -d \"{\\\"password\\\":\\\"hunter2\\\"}\" x", "hunter2"),
        ("db:\n  password: hunter2!\n", "hunter2!"),
        ("Server=db;User Id=sa;Password=S3cret;", "S3cret"),
        ("AccountName=x;AccountKey=aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ0;E=1", "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ0"),
        ("https://x.example/a?user=1&api_key=0a1b2c3d4e5f&x=1", "0a1b2c3d4e5f"),
        ("curl -H 'Authorization: Basic YWRhOmh1bnRlcjI=' x", "YWRhOmh1bnRlcjI="),
        ("curl -H \"X-Api-Key: 0a1b2c3d4e5f6071\"", "0a1b2c3d4e5f6071"),
        ("Authorization: Bearer abcdefgh\nHost: x", "abcdefgh"),
        ("fetch(u, {headers: {Authorization: \"Bearer s3cr3tS3cr3t\"}})", "s3cr3tS3cr3t"),
        ("//registry.npmjs.org/:_authToken=0a1b2c3d-aaaa-bbbb", "0a1b2c3d-aaaa-bbbb"),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        ),
        ("$env:GITHUB_TOKEN = \"0a1b2c3d4e5f\"", "0a1b2c3d4e5f"),
        ("ENV SECRET_KEY_BASE=0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"),
        ("-H 'Cookie: session=0a1b2c3d; theme=dark'", "session=0a1b2c3d; theme=dark"),
        ("kubectl create secret generic x --from-literal=password=abc", "abc"),
        ("export A=1\\nexport DB_PASS=hunter2\\n", "hunter2"),
    ] {
        assert_one(text, secret);
    }
}

#[test]
fn options_that_take_a_secret_are_known_by_their_program() {
    for (text, secret) in [
        ("mysql -u root -phunter2 site", "hunter2"),
        ("sshpass -p hunter2 ssh ada@host", "hunter2"),
        ("sshpass -phunter2 ssh -p 2222 ada@host", "hunter2"),
        ("docker login -u ada -p hunter2 r.example", "hunter2"),
        ("curl -u ada:hunter2 https://x.example", "hunter2"),
        ("curl --user=ada:hunter2 https://x.example", "hunter2"),
        ("sudo -E /usr/bin/curl -uada:hunter2 x", "hunter2"),
        ("redis-cli -a hunter2 keys x", "hunter2"),
        ("openssl rsa -passin pass:hunter2 -in a", "hunter2"),
        ("smbclient -U 'ada%hunter2' //host/x", "hunter2"),
        ("unzip -P hunter2 a.zip", "hunter2"),
        ("npm config set //r.example/:_authToken abc123def", "abc123def"),
        ("set -gx GITHUB_TOKEN abc123def", "abc123def"),
        ("machine x.example login ada password hunter2", "hunter2"),
    ] {
        assert_one(text, secret);
    }
    for text in [
        "mkdir -p src/secret",
        "ssh -p 2222 host",
        "docker run -p 8080:80 nginx",
        "mysql -p site",
        "cp -p a b",
        "git log -p main",
        "curl -u ada https://x",
        "tar -xzf a.tgz -C /tmp",
        "git config user.name ada",
    ] {
        assert_none(text);
    }
}

#[test]
fn what_only_looks_random_or_only_speaks_of_secrets_is_none() {
    for text in [
        "git show 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "git cherry-pick 9fceb02 && git log --format=%H",
        "id: 550e8400-e29b-41d4-a716-446655440000",
        "\"integrity\": \"sha512-z8GaXcKTkRXE4x3hCkhYyxcFwnGfEvhsH6mS+4q0n1W9CT5hQ6gP5rGS3Cu1eA==\"",
        "checksum = \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
        "+<img src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk\">",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "let token = lexer.next_token();",
        "fn login(password: &str, token: String) -> bool",
        "if token == expected { return secret; }",
        "const token = await getToken(user)",
        "login(user, password=password, token=token)",
        "password = os.environ['DB_PASSWORD']",
        "GITHUB_TOKEN=${{ secrets.GITHUB_TOKEN }}",
        "export TOKEN=$(cat token.txt)",
        "echo $API_KEY \"$PASSWORD\"",
        "tool --password-file /run/secrets/db --token-ttl 3600",
        "tool --password \"$PW\" --token $(pass show x)",
        "password: must be at least 8 characters",
        "The secret: it is a token of love.",
        "max_tokens: 4096, \"token_count\": 123456",
        "type: password\nname: token\n",
        "secretKeyRef:\n  name: db\n  key: password",
        "--private-key ./key.pem --ssl-key=/etc/ssl/private/site.key",
        "cargo test password_is_checked",
        "author: Ada Lovelace <ada@example.org>",
        "PWD=/home/ada OLDPWD=/tmp make",
        "bearer of good news arrived yesterday evening",
        "npm_config_registry=https://registry.npmjs.org npm_lifecycle_event=test",
        "sk-learn-contrib-project-template",
        "password: ******** token: xxxxxxxxxxxxxxxx",
        "uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8",
        "class TokenStream { secret: Secret<String>, password: Option<String> }",
        "key-value-store-name-of-the-table-0123456789abcdef",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx0KpQvLwZcN3tq1cV2c ada@host",
    ] {
        assert_none(text);
    }
}

#[test]
fn a_secret_in_a_secret_is_one_of_the_first_kind() {
    let text = "export GITHUB_TOKEN=ghp_aB3dE5gH1jK2mN4pQ6rS8tU0vW9xY7zA1b2C; ls";
    assert_eq!(folded(text), [("ghp_aB3dE5gH1jK2mN4pQ6rS8tU0vW9xY7zA1b2C", "GitHub token")]);
}

/// Texts of what is most likely to go wrong together.
fn nasty() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "password",
        "token",
        "=",
        ":",
        " ",
        "\"",
        "'",
        "\\\"",
        "\\n",
        "\n",
        "ghp_",
        "aB3dE5gH1jK2mN4pQ6rS8tU0",
        "é",
        "字",
        "://",
        "@",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END ",
        "curl",
        "-u",
        "eyJ",
        ".",
        "Bearer",
        "Authorization",
        "(",
        ",",
        "-p",
        "mysql",
        "⟨",
        "$",
        "set",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn every_text_has_its_secrets_in_order_apart_and_on_whole_characters(text in prop_oneof![nasty(), any::<String>()]) {
        let mut end = 0;
        for secret in find(&text) {
            prop_assert!(secret.range.start >= end && !secret.range.is_empty());
            prop_assert!(text.get(secret.range.clone()).is_some());
            end = secret.range.end;
        }
    }
}

/// No clock: what grows with the square of a text would not end here within a test's patience.
#[test]
fn long_texts_of_nothing_but_beginnings_are_read_in_linear_time() {
    for piece in [
        "token=",
        "a://",
        "-----BEGIN RSA PRIVATE KEY-----",
        "eyJ",
        "password:\"",
        "mysql -p",
        "\\",
        "ghp_",
        "'",
    ] {
        let text = piece.repeat(200_000 / piece.len());
        let _ = find(&text);
    }
}
