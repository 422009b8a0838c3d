//! Lists for PowerShell: what its cmdlets and their aliases do. Names are in lower case.

/// Cmdlets that only read, with their aliases.
#[rustfmt::skip] // rows of words
pub(super) const READS: &[&str] = &[
    "get-childitem", "gci", "ls", "dir", "get-content", "gc", "cat", "type", "get-item", "gi", "get-location",
    "gl", "pwd", "get-date", "get-process", "gps", "ps", "get-service", "gsv", "get-command", "gcm",
    "get-help", "help", "man", "get-member", "gm", "get-history", "h", "history", "ghy", "get-host",
    "get-filehash", "get-itemproperty", "gp", "get-itempropertyvalue", "gpv", "get-psdrive", "gdr",
    "get-psprovider", "get-alias", "gal", "get-module", "gmo", "get-volume", "get-disk", "get-partition",
    "get-psdrive", "get-computerinfo", "get-culture", "get-random", "get-uptime", "get-timezone",
    "get-unique", "gu", "get-verb", "get-acl", "get-executionpolicy", "get-hotfix", "get-eventlog",
    "get-winevent", "get-job", "gjb", "get-package", "get-installedmodule", "select-string", "sls",
    "select-object", "select", "sort-object", "sort", "group-object", "group", "measure-object", "measure",
    "format-table", "ft", "format-list", "fl", "format-wide", "fw", "format-hex", "fhx", "format-custom",
    "fc", "out-string", "oss", "out-host", "oh", "out-null", "write-output", "echo", "write", "write-host",
    "test-path", "resolve-path", "rvpa", "split-path", "join-path", "convert-path", "cvpa", "compare-object",
    "compare", "diff", "convertfrom-json", "convertto-json", "convertfrom-csv", "convertto-csv",
    "convertto-xml", "import-csv", "ipcsv", "tree", "tree.com", "where.exe", "whoami", "hostname", "findstr",
    "find", "more", "more.com", "systeminfo", "tasklist", "ver", "where-object", "where",
];

/// Cmdlets and programs that lose something, whatever their words.
#[rustfmt::skip] // rows of words
pub(super) const LOSES: &[&str] = &[
    "clear-recyclebin", "clear-disk", "clear-eventlog", "limit-eventlog", "remove-eventlog", "format-volume",
    "initialize-disk", "new-partition", "resize-partition", "set-disk", "stop-computer", "restart-computer",
    "clear-storagediagnosticinfo", "reset-physicaldisk", "reset-computermachinepassword", "restore-computer",
    "format", "format.com", "diskpart", "shutdown", "logoff", "vssadmin", "wbadmin", "cipher", "bcdedit",
    "bootrec", "diskshadow", "mountvol", "fsutil", "sdelete", "sdelete64", "rimraf", "wevtutil",
    "uninstall-windowsfeature", "clear-bitlockerautounlock", "disable-bitlocker", "dismount-vhd",
    "clear-azcontext", "manage-bde",
];

/// Aliases of `Remove-Item`.
pub(super) const REMOVES: &[&str] = &["remove-item", "ri", "rm", "rmdir", "del", "erase", "rd"];

/// Removals of what lives only in the session.
pub(super) const REMOVES_NOTHING: &[&str] = &[
    "remove-variable",
    "rv",
    "remove-module",
    "rmo",
    "remove-alias",
    "remove-psdrive",
    "rdr",
    "remove-psbreakpoint",
    "rbp",
    "remove-job",
    "rjb",
    "remove-typedata",
    "remove-event",
];

/// Cmdlets that overwrite named files.
#[rustfmt::skip] // rows of words
pub(super) const OVERWRITES: &[&str] = &[
    "set-content", "sc", "out-file", "clear-content", "clc", "clear-item", "cli", "export-csv", "epcsv",
    "export-clixml", "tee-object", "tee", "compress-archive", "expand-archive", "export-alias", "epal",
    "set-item", "si", "clear-itemproperty", "clp",
];

/// Cmdlets that change files without losing them.
pub(super) const WRITES: &[&str] = &[
    "new-item",
    "ni",
    "md",
    "mkdir",
    "add-content",
    "ac",
    "copy-item",
    "cp",
    "cpi",
    "copy",
    "move-item",
    "mv",
    "mi",
    "move",
    "rename-item",
    "ren",
    "rni",
    "touch",
    "unblock-file",
];

/// Cmdlets and programs that reach the network.
#[rustfmt::skip] // rows of words
pub(super) const NETWORK: &[&str] = &[
    "invoke-webrequest", "iwr", "curl", "wget", "invoke-restmethod", "irm", "start-bitstransfer",
    "test-connection", "test-netconnection", "tnc", "resolve-dnsname", "bitsadmin", "certutil", "find-module",
    "find-package", "find-script", "ping", "nslookup", "tracert", "pathping", "get-bitstransfer",
];

/// Cmdlets and programs that send, or act on other computers.
#[rustfmt::skip] // rows of words
pub(super) const SENDS: &[&str] = &[
    "send-mailmessage", "enter-pssession", "etsn", "new-pssession", "nsn", "connect-pssession",
    "publish-module", "publish-script", "publish-psresource", "connect-azaccount", "connect-mggraph", "ssh",
    "scp", "sftp", "ftp", "tftp", "psexec", "psexec64", "winrs", "mstsc", "telnet", "new-smbmapping",
    "copy-vmfile",
];

/// Cmdlets and programs that change rights, services, accounts or the system, or run text.
#[rustfmt::skip] // rows of words
pub(super) const POWERS: &[&str] = &[
    "invoke-expression", "iex", "invoke-command", "icm", "add-type", "set-executionpolicy", "new-localuser",
    "set-localuser", "disable-localuser", "enable-localuser", "add-localgroupmember", "set-acl",
    "stop-service", "spsv", "start-service", "sasv", "restart-service", "set-service", "new-service",
    "suspend-service", "register-scheduledtask", "set-scheduledtask", "unregister-scheduledtask",
    "disable-scheduledtask", "enable-scheduledtask", "start-scheduledtask", "new-scheduledtask",
    "register-scheduledjob", "register-wmievent", "set-mppreference", "add-mppreference",
    "set-netfirewallprofile", "set-netfirewallrule", "new-netfirewallrule", "disable-netfirewallrule",
    "enable-netfirewallrule", "set-itemproperty", "sp", "new-itemproperty", "rename-computer", "add-computer",
    "enable-psremoting", "set-wsmanquickconfig", "invoke-wmimethod", "iwmi", "invoke-cimmethod", "set-date",
    "set-timezone", "enable-windowsoptionalfeature", "disable-windowsoptionalfeature",
    "install-windowsfeature", "set-netipaddress", "new-netipaddress", "disable-netadapter",
    "set-dnsclientserveraddress", "start-job", "sajb", "set-psrepository", "register-psrepository",
    "unregister-psrepository", "debug-process", "wait-debugger", "new-smbshare", "grant-smbshareaccess",
    "takeown", "icacls", "cacls", "reg", "regedit", "regini", "netsh", "net", "net1", "sc.exe", "schtasks",
    "at", "wmic", "runas", "gpupdate", "secedit", "dism", "sfc", "bcdboot", "mshta", "rundll32", "regsvr32",
    "cscript", "wscript", "msiexec", "installutil", "regasm", "regsvcs", "setx", "subst", "attrib",
    "taskkill", "tskill", "pkill", "sudo", "gsudo", "import-certificate", "get-credential",
    "unlock-bitlocker", "suspend-bitlocker", "enable-bitlocker", "invoke-history", "r", "ihy",
];
