import Foundation
import Mail
import TestSupport
import Testing

/// An SMTP server for one test: Python's aiosmtpd on a free loopback port, with its own certificate for `localhost`.
///
/// It records each accepted message with its envelope. The local part of a recipient selects a behaviour: `unknown`,
/// `relayed`, `busy` and `greylisted` are refused, `full` is refused after the message, and the connection of `cut` is
/// closed within the message.
final class SMTPTestServer: Sendable {
    enum Encryption: String { case smtps, starttls, none }

    let port: Int
    private let folder: TemporaryFolder
    private let process: Process

    /// - Parameter password: If not nil, the user `afterword@example.org` has to authenticate with it.
    init(_ encryption: Encryption, password: String? = nil) throws {
        folder = try TemporaryFolder()
        process = Process()
        process.executableURL = URL(fileURLWithPath: try IndependentCheck.python)
        process.arguments = ["-c", Self.script, folder.path, encryption.rawValue, password ?? ""]
        // The script ends when its input is closed, at the latest when this process ends.
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n"), let byte = try output.fileHandleForReading.read(upToCount: 1) {
            line += byte
        }
        port = try #require(Int(String(decoding: line.dropLast(), as: UTF8.self)))
    }

    deinit { process.terminate() }

    var certificate: String { folder / "certificate.pem" }

    /// The accepted messages. Each begins with the lines `CLIENT`, `FROM` and `TO`.
    var mails: [String] { folder.read("mails").split(separator: "\n====\n").map(String.init) }

    private static let script = """
        import asyncio, socket, ssl, subprocess, sys
        from aiosmtpd.smtp import SMTP, AuthResult

        folder, encryption, password = sys.argv[1:]
        key, certificate = folder + "/key.pem", folder + "/certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key,
             "-out", certificate], check=True, stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        seen = set()

        class Handler:
            async def handle_RCPT(self, server, session, envelope, address, options):
                name = address.split("@")[0]
                if name == "unknown":
                    return "550 5.1.1 unknown@example.org: no such user"
                if name == "relayed":
                    return "550 5.7.1 relaying is denied"
                if name == "busy":
                    return "452 4.2.2 mailbox is busy"
                if name == "greylisted" and address not in seen:
                    seen.add(address)
                    return "450 4.7.1 greylisted, try again later"
                envelope.rcpt_tos.append(address)
                return "250 OK"

            async def handle_DATA(self, server, session, envelope):
                if envelope.rcpt_tos[0].startswith("full@"):
                    return "554 5.3.4 message is too big"
                text = envelope.original_content.decode()
                assert "\\n" not in text.replace("\\r\\n", ""), "a line ends in LF"
                with open(folder + "/mails", "a", newline="") as file:
                    file.write(f"CLIENT {session.host_name}\\nFROM {envelope.mail_from}\\n"
                               f"TO {' '.join(envelope.rcpt_tos)}\\n{text}".replace("\\r\\n", "\\n") + "\\n====\\n")
                return "250 OK"

        class Server(SMTP):
            async def smtp_DATA(self, argument):
                if self.envelope.rcpt_tos[0].startswith("cut@"):
                    await self.push("354 begin")
                    return self.transport.abort()
                return await super().smtp_DATA(argument)

        def authenticate(server, session, envelope, mechanism, data):
            accepted = (data.login.decode(), data.password.decode()) == ("afterword@example.org", password)
            # Not handled: the server replies 535.
            return AuthResult(success=accepted, handled=accepted)

        def make():
            return Server(
                Handler(), hostname="localhost", enable_SMTPUTF8=True,
                tls_context=context if encryption == "starttls" else None,
                require_starttls=encryption == "starttls",
                authenticator=authenticate if password else None, auth_required=bool(password),
                auth_require_tls=encryption == "starttls")

        async def main():
            listener = socket.socket()
            listener.bind(("127.0.0.1", 0))
            server = await asyncio.get_running_loop().create_server(
                make, sock=listener, ssl=context if encryption == "smtps" else None)
            print(listener.getsockname()[1], flush=True)
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
            server.close()

        asyncio.run(main())
        """
}
