//! What pays or carries an amount (EFF-3), and services where each message costs.

use super::{
    super::entry::{DESTRUCTIVE, Does, Entry, NETWORK_READ_ASKS, OUTSIDE_ASKS, SPEND},
    args,
    cli::{Cli, SERVICE},
};
use crate::classify::{finding::Finding, word::Command};

/// Payments, messages by the piece, wallets.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "stripe", "paypal", "braintree", "square", "adyen", "mollie", "razorpay", "paddle",
            "lemonsqueezy", "polar", "gocardless", "plaid", "wise", "revolut", "chargebee", "recurly",
            "coinbase", "coinbase-cli", "kraken", "binance", "ccxt", "alpaca", "ib", "xendit",
        ],
        does: Does::Code(|c, _| payments(c)),
        why: "moves money",
    },
    Entry {
        names: &[
            "twilio", "sendgrid", "mailgun", "postmark", "resend", "vonage", "nexmo", "messagebird", "plivo",
            "telnyx", "sinch", "mailchimp", "customerio",
        ],
        does: Does::Code(|c, _| MESSAGES.judge(c)),
        why: "sends messages and buys numbers",
    },
    Entry {
        names: &[
            "bitcoin-cli", "lncli", "lightning-cli", "geth", "cast", "solana", "spl-token", "eth", "ethkey",
            "clef", "near", "sui", "aptos", "cardano-cli", "monero-wallet-cli", "electrum", "gaiad",
            "starkli", "brownie", "polkadot", "subkey", "xrpl", "tezos-client", "octez-client", "algokey",
            "goal", "stellar", "flow", "starknet",
        ],
        does: Does::Code(|c, _| wallet(c)),
        why: "signs and sends what can't be taken back",
    },
    Entry {
        names: &["mturk", "upwork", "doordash", "uber", "instacart"],
        does: Does::Always(SPEND),
        why: "orders something",
    },
];

/// Reading money's services is judged like any other; what carries an amount is spending.
const PAYMENTS: Cli = Cli {
    valued: &["--api-key", "--project-name", "-p", "--color", "--config"],
    subs: &[
        ("listen|logs|status|login|trigger|events|samples|open|config|serve", OUTSIDE_ASKS),
        ("* list|retrieve|search", NETWORK_READ_ASKS),
        ("get|logs|version", NETWORK_READ_ASKS),
        ("* cancel|void", OUTSIDE_ASKS),
        ("customers|products|prices|webhook_endpoints create|update", OUTSIDE_ASKS),
        ("post", SPEND.because("moves money")),
        (
            "* create|confirm|capture|pay|finalize|approve|send|resume|increment_authorization",
            SPEND.because("moves money"),
        ),
        (
            "subscriptions|subscription_items|subscription_schedules update|create",
            SPEND.because("subscribes"),
        ),
    ],
    pays: true,
    otherwise: OUTSIDE_ASKS,
};

fn payments(command: &Command) -> Finding {
    let mut finding = PAYMENTS.judge(command);
    let carries = |text: &str| {
        let low = text.to_ascii_lowercase();
        low.starts_with("--amount") || low.contains("amount=") || low.starts_with("--unit-amount")
    };
    if args::texts(command).any(carries) {
        finding.worsen(SPEND.because("carries an amount").finding());
    }
    finding
}

const MESSAGES: Cli = Cli {
    valued: &["-p", "--profile"],
    subs: &[
        (
            "phone-numbers:buy|phone-numbers:buy:local|phone-numbers:buy:mobile|phone-numbers:buy:toll-free",
            SPEND.because("buys a number"),
        ),
        ("api:core:messages:create|api:core:calls:create", OUTSIDE_ASKS),
        ("phone-numbers:list|api:core:messages:list|profiles:list", NETWORK_READ_ASKS),
        ("numbers buy", SPEND.because("buys a number")),
    ],
    pays: true,
    otherwise: OUTSIDE_ASKS,
};

const WALLET: Cli = Cli {
    subs: &[
        (
            "send|transfer|sendtoaddress|sendmany|payinvoice|pay|sendcoins|stake|withdraw|fundchannel|openchannel|delegate-stake|mint|program|publish|deploy",
            SPEND.because("sends value"),
        ),
        ("balance|block|call|getbalance|getblockchaininfo|account|address", NETWORK_READ_ASKS),
        ("closechannel", DESTRUCTIVE),
    ],
    ..SERVICE
};

fn wallet(command: &Command) -> Finding {
    let mut finding = WALLET.judge(command);
    let sends = |text: &str| {
        args::parts(text).any(|part| matches!(part, "send" | "transfer" | "pay" | "stake" | "withdraw"))
    };
    if args::texts(command).any(|text| sends(text) || text == "--broadcast" || text == "--value") {
        finding.worsen(SPEND.because("sends value").finding());
    }
    finding
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};

    #[test]
    fn what_moves_money_is_spending() {
        for (line, class) in [
            ("stripe payment_intents create --amount 5000 --currency usd", Class::Spend),
            ("stripe refunds create --charge ch_1", Class::Spend),
            ("stripe subscriptions create --customer c", Class::Spend),
            ("stripe post /v1/charges -d amount=100", Class::Spend),
            ("stripe customers list", Class::ReadExternal),
            ("stripe customers delete c", Class::Destructive),
            ("stripe listen", Class::External),
        ] {
            let finding = payments(&command(line));
            assert_eq!((finding.class, finding.level), (class, Level::Red), "{line}");
        }
        assert_eq!(
            MESSAGES.judge(&command("twilio phone-numbers:buy:local --country-code US")).class,
            Class::Spend
        );
        assert_eq!(wallet(&command("solana transfer a 5")).class, Class::Spend);
        assert_eq!(wallet(&command("cast send 0x1 f --value 1")).class, Class::Spend);
        assert_eq!(wallet(&command("solana balance")).class, Class::ReadExternal);
    }
}
