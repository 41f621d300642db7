import Foundation
import Logging
import Mail

extension Settings {
    /// The folder of the mails if there is neither an SMTP server nor a sendmail.
    var mailFolder: String { data + "/mails" }

    /// Throws if a program was named but is not executable, or if the password cannot be read.
    func mailTransport(_ logger: Logger) throws(Failure) -> any MailTransport {
        if let smtp = try smtpTransport() { return smtp }
        switch sendmail.resolved {
        case .program(let path):
            // A sendmail finds its user's settings through HOME. The variables of this program's own settings are not
            // passed on.
            let variables = ProcessInfo.processInfo.environment.filter { name, _ in
                !name.hasPrefix(Setting.environmentPrefix) && !name.hasPrefix("PG")
            }
            return Sendmail(path: path, environment: variables)
        case .unusable(let path):
            throw .misuse("\(path) cannot be run: choose another program with --sendmail, or none.")
        case .folder:
            return MailFolder(path: mailFolder, logger: logger)
        }
    }

    /// Returns nil without an SMTP server. Throws if its password cannot be read.
    ///
    /// - Parameter timeout: The time after which a delivery is given up.
    func smtpTransport(timeout: Duration = .seconds(60)) throws(Failure) -> SMTPTransport? {
        guard let smtp else { return nil }
        return SMTPTransport(smtp, password: try smtpPassword(), timeout: timeout)
    }

    /// The first line of the password file. Nil without a file.
    func smtpPassword() throws(Failure) -> String? {
        guard let path = smtpPasswordFile else { return nil }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw .misuse("\(path), the file of --smtp-password-file, cannot be read.")
        }
        // CRLF is one character and a newline too.
        let line = text.prefix { !$0.isNewline }
        guard !line.isEmpty else { throw .misuse("\(path), the file of --smtp-password-file, has no password.") }
        return String(line)
    }

    /// Throws if the settings of mail contradict each other.
    static func checkMail(
        _ smtp: SMTPServer?, passwordFile: String?, sendmail: SendmailChoice?
    ) throws(Failure) {
        guard let smtp else {
            if passwordFile != nil { throw .misuse("--smtp-password-file needs --smtp with a user.") }
            return
        }
        guard sendmail == nil else {
            throw .misuse("--smtp and --sendmail exclude each other: choose one of them.")
        }
        if smtp.user != nil, passwordFile == nil {
            throw .misuse("--smtp with a user needs --smtp-password-file.")
        }
        if smtp.user == nil, passwordFile != nil {
            throw .misuse("--smtp-password-file needs a user in --smtp, such as smtps://user@smtp.example.org.")
        }
    }
}
