import Foundation
import Testing

/// A TLS server on a loopback port, with a self-signed certificate for `localhost`.
final class UntrustedReceiver {
    private(set) var port = 0
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())

    init() throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script]
        // The script ends when its input is closed, which happens at the latest when this process ends.
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        port = try #require(Int(try readLine()))
    }

    deinit { process.terminate() }

    /// The next line that the server prints: first its port, and then what its only client did.
    func readLine() throws -> String {
        var line = Data()
        while line.last != UInt8(ascii: "\n"), let byte = try output.fileHandleForReading.read(upToCount: 1) {
            line += byte
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    private static let script = """
        import os, socket, ssl, subprocess, sys, tempfile, threading

        with tempfile.TemporaryDirectory() as folder:
            key, certificate = folder + "/key.pem", folder + "/certificate.pem"
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                 "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key,
                 "-out", certificate], check=True, stderr=subprocess.DEVNULL)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            print(listener.getsockname()[1], flush=True)
            client = listener.accept()[0]
            try:
                with context.wrap_socket(client, server_side=True) as session:
                    print("received", len(session.recv(1 << 16)), flush=True)
            except ssl.SSLError as error:
                print("refused", error.reason, flush=True)
        """
}
