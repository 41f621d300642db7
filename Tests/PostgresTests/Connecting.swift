import CLibPQ
import Foundation
import Postgres
import TestSupport
import Testing

@Suite struct Connecting {
    private func failure(_ url: String) async -> PostgresError? {
        await refusal { try await Connection.connect(Fixture.quiet(url)) }
    }

    @Test(arguments: ["mysql://me:hunter2@localhost/x", "postgres://me:hunter2@[::1/x", "hunter2", "postgres://%zz"])
    func invalidURLIsRefusedWithoutBeingShown(_ url: String) async throws {
        let error = try #require(await failure(url))
        #expect(error.kind == .configuration)
        #expect(!"\(error) \(error.message)".contains("hunter2"))
    }

    @Test func missingServerIsAFailedConnection() async throws {
        let error = try #require(await failure("postgres://me:hunter2@/x?host=/nowhere"))
        #expect(error.kind == .connectionFailed && error.isConnectionLost)
        #expect(!"\(error)".contains("hunter2"))
    }

    /// libpq writes two lines for each server that it tried.
    @Test func messageOfAFailedConnectionIsOneLine() async throws {
        let error = try #require(await failure("postgres://me@/x?host=/nowhere,/elsewhere"))
        #expect(error.message.contains("/nowhere/.s.PGSQL") && error.message.contains("/elsewhere/.s.PGSQL"))
        #expect(error.message.contains("No such file or directory Is the server running"), "\(error.message)")
        let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
        #expect(!error.message.unicodeScalars.contains(where: isControl), "\(error.message)")
    }

    @Test func unknownDatabaseIsAFailedConnection() async throws {
        let url = try await TestCluster.url().replacing("/postgres?", with: "/nowhere?")
        #expect(await failure(url)?.kind == .connectionFailed)
    }

    @Test func optionsOfTheURLReachLibpq() async throws {
        let url = try await Fixture().database.url
        let connection = try await Connection.connect(
            Fixture.quiet(url + "&application_name=mine&options=-c%20work_mem%3D1234kB"))
        let row = try await connection.query(
            "SELECT current_setting('application_name'), current_setting('work_mem'), current_setting('client_encoding')"
        )
        #expect(try row[0].decode(String.self, String.self, String.self) == ("mine", "1234kB", "UTF8"))
    }

    @Test func applicationNameOfTheConfigurationIsTheFallback() async throws {
        let connection = try await Fixture().connect()
        #expect(
            try await connection.query("SELECT current_setting('application_name')")[0].decode(String.self)
                == "afterword")
    }

    @Test(arguments: [("", "10 5 3 15000"), ("&keepalives_idle=77&tcp_user_timeout=0", "77 5 3 0")])
    func keepalivesAreSetUnlessTheURLChangesThem(_ parameters: String, _ expected: String) throws {
        let connection = shim_connect("postgres://me@/x?host=/nowhere" + parameters, "tests", "2")
        defer { PQfinish(connection) }
        let options = try #require(PQconninfo(connection))
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var next = options
        while let keyword = next.pointee.keyword {
            values[String(cString: keyword)] = next.pointee.val.map { String(cString: $0) }
            next += 1
        }
        let names = ["keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout"]
        #expect(names.map { values[$0] ?? "unset" }.joined(separator: " ") == expected)
    }

    /// libpq ignores `sslmode` on a Unix socket, so this server listens on the loopback interface.
    @Test func requiredTLSIsEnforced() async throws {
        let server = try await PlainTCPServer()
        let error = try #require(await failure("postgres://me@127.0.0.1:\(server.port)/x?sslmode=require"))
        #expect(error.kind == .connectionFailed)
        #expect(error.message.contains("SSL"))
    }

    @Test func everyNewConnectionIsConfigured() async throws {
        var configuration = try await Fixture().configuration
        configuration.onConnect = ["SET lock_timeout = '1s'", "SET TIME ZONE 'Asia/Seoul'"]
        let connection = try await Connection.connect(configuration)
        let row = try await connection.query("SELECT current_setting('lock_timeout'), current_setting('TimeZone')")
        #expect(try row[0].decode(String.self, String.self) == ("1s", "Asia/Seoul"))
        configuration.onConnect = ["SET nonsense.x.y = z z"]
        let wrong = configuration
        #expect(await refusal { try await Connection.connect(wrong) }?.sqlState == "42601")
    }

    @Test func closedConnectionThrows() async throws {
        let connection = try await Fixture().connect()
        await connection.close()
        #expect(await refusal { try await connection.query("SELECT 1") }?.kind == .closed)
        #expect(!connection.wasIdle)
    }
}

/// Refuses the first request for TLS with `N`, as PostgreSQL without TLS does, and closes the connection.
private struct PlainTCPServer {
    let port: UInt16

    init() async throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        try #require(isBound)
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            let client = accept(listener, nil, nil)
            var request = [UInt8](repeating: 0, count: 8)
            _ = recv(client, &request, request.count, 0)
            _ = send(client, "N", 1, 0)
            close(client)
            close(listener)
        }
    }
}
