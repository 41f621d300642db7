import Foundation
import TestSupport
import Testing

/// A TLS relay in front of the shared server, which listens on a Unix socket without TLS. The relay listens on a
/// loopback port and has its own certificate for `localhost`.
///
/// The relay sends the data of the server in records of the maximum size, 16 KiB, as PostgreSQL does since version 17.
final class TLSRelay: Sendable {
    let port: Int
    let folder: URL
    private let process: Process

    var certificate: String { folder.appendingPathComponent("certificate.pem").path }

    init() async throws {
        let cluster = try #require(URLComponents(string: try await TestCluster.url()))
        let socket = try #require(cluster.queryItems?.first { $0.name == "host" }?.value) + "/.s.PGSQL.5432"
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("relay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", TLSRelay.script, folder.path, socket]
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

    deinit { stop() }

    /// Cuts all connections and deletes the certificate.
    func stop() {
        process.terminate()
        try? FileManager.default.removeItem(at: folder)
    }

    /// - Parameter host: The host name that the client expects in the certificate.
    func url(database: String = "postgres", host: String = "localhost", root: String? = nil) -> String {
        """
        postgresql://postgres@\(host):\(port)/\(database)?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=\
        \(root ?? certificate)
        """
    }

    private static let script = """
        import os, select, socket, ssl, struct, subprocess, sys, threading

        folder, upstream = sys.argv[1:]
        key, certificate = folder + "/key.pem", folder + "/certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key,
             "-out", certificate], check=True, stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)

        def relay(client):
            with socket.socket(socket.AF_UNIX) as server:
                server.connect(upstream)
                _, code = struct.unpack("!II", client.recv(8, socket.MSG_WAITALL))
                assert code == 80877103, "the client does not request TLS"
                client.sendall(b"S")
                client, held, ends = context.wrap_socket(client, server_side=True), b"", False
                while not ends:
                    ready, _, _ = select.select([client, server], [], [], 0.02 if held else None)
                    while client in ready or client.pending():
                        data, ready = client.recv(1 << 16), [one for one in ready if one is not client]
                        ends = ends or not data
                        server.sendall(data)
                    if server in ready:
                        data = server.recv(1 << 16)
                        ends = ends or not data
                        held += data
                    if held and (server not in ready or ends or len(held) >= 1 << 18):
                        client.sendall(held)
                        held = b""
                client.close()

        def quietly(client):
            try:
                relay(client)
            except OSError:
                client.close()

        listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        print(listener.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=quietly, args=[listener.accept()[0]], daemon=True).start()
        """
}
