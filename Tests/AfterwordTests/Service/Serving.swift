import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

/// Starting and stopping `serve`, mostly with its private cluster.
@Suite struct Serving {
    @Test func firstStartCreatesAnAdminWhoCanSignIn() async throws {
        let folder = try TemporaryFolder()
        let data = folder / "data"
        let service = try await RunningService(["--data", data])
        try await service.using { service async throws in
            #expect(service.startLine == "Afterword answers at http://127.0.0.1:\(service.port)")
            #expect(try await service.client.get("/readyz").status == 200)
            let admin = try await service.admin(in: data)
            // Links contain the port that was chosen.
            let meeting = try await admin.post("/v1/meetings", json: #"{"title": "M"}"#).expect(201).string("id")
            let share = try await admin.post("/v1/meetings/\(meeting)/shares", json: "{}")
            #expect(share.text.contains("\"http://127.0.0.1:\(service.port)/"), "\(share.text)")
            for file in ["first-admin", "secret"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(data)/\(file)")
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
            let password = folder.read("data/first-admin").split(separator: " ").last ?? ""
            #expect(!password.isEmpty && !service.standardError.contains(password.dropLast()))
            #expect(
                service.standardError.contains(
                    "Open http://127.0.0.1:\(service.port) in a browser, sign in as admin@localhost, "))
            let flags = "--host 0.0.0.0 --port \(service.port) --public-url http://ADDRESS:\(service.port)"
            #expect(service.standardError.contains(" \(flags)\n"), "\(service.standardError)")
        }
        #expect(service.standardOutput == service.startLine + "\n")
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func stopIsCleanAndTheNextStartServesTheForm(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let data = folder / "data"
        let first = try await RunningService(["--data", data])
        let client = try await first.admin(in: data)
        let (code, _) = try await first.openForm(by: client)
        #expect(await first.stop(signal) == 0)
        #expect(!FileManager.default.fileExists(atPath: data + "/postgres/postmaster.pid"))
        #expect(await !isListening(first.port))
        try await RunningService(["--data", data]).using { second async throws in
            #expect(try await second.client.get("/v1/forms/\(code)").status == 200)
            #expect(!second.standardError.contains("sign in as"), "only the first start shows how to sign in")
        }
    }

    @Test func secondServiceOnADataFolderReportsTheFirst() async throws {
        let folder = try TemporaryFolder()
        try await RunningService(["--data", folder / "data"]).using { first async throws in
            let second = try await Program.run(["serve", "--port", "0", "--data", folder / "data"])
            #expect(second.status == 1)
            #expect(second.errors.contains("in use by process \(first.pid)"))
            #expect(try await first.client.get("/readyz").status == 200)
        }
    }

    @Test func commandsWorkDuringAndWithoutTheService() async throws {
        let folder = try TemporaryFolder()
        let data = folder / "data"
        try await RunningService(["--data", data]).using { service async throws in
            let created = try await Program.run(
                [
                    "account", "create", "--email", "ann@example.org", "--name", "Ann", "--role", "host",
                    "--password-stdin", "--data", data,
                ], input: "a long password\n")
            #expect(created.status == 0, "\(created.errors)")
            let session = #"{"email": "ann@example.org", "password": "a long password"}"#
            #expect(try await service.client.post("/v1/sessions", json: session).status == 201)
            let verified = try await Program.run(["verify", "--data", data])
            #expect(verified.status == 0)
            #expect(verified.errors == "")
        }
        // Without a running service, commands start and stop the cluster themselves.
        let alone = try await Program.run(["account", "list", "--data", data])
        #expect(alone.status == 0, "\(alone.errors)")
        #expect(alone.output.contains("ann@example.org"))
        #expect(!FileManager.default.fileExists(atPath: data + "/postgres/postmaster.pid"))
    }

    @Test func portInUseIsReported() async throws {
        let database = try await TestCluster.database()
        let folder = try TemporaryFolder()
        let arguments = ["--database-url", database.url, "--data", folder / "data"]
        try await RunningService(arguments).using { first async throws in
            let second = try await Program.run(["serve", "--port", "\(first.port)"] + arguments)
            #expect(second.status == 1)
            #expect(
                second.errors.hasSuffix(
                    "Port \(first.port) on 127.0.0.1 is in use: stop the process that uses it, or choose another with --port.\n"
                ))
            #expect(second.output == "")
        }
        try await database.drop()
    }

    @Test func nothingIsCreatedIfTheServiceCannotListen() async throws {
        let database = try await TestCluster.database()
        let folder = try TemporaryFolder()
        try await RunningService(["--database-url", database.url, "--data", folder / "first"]).using {
            first async throws in
            let portInUse =
                "Port \(first.port) on 127.0.0.1 is in use: stop the process that uses it, or choose another with --"
            // A documentation address, which no machine has.
            let foreignAddress = "203.0.113.7 is not an address of this machine: "
            for (arguments, reason) in [
                (["--port", "\(first.port)"], portInUse + "port."),
                (["--port", "0", "--health-port", "\(first.port)"], portInUse + "health-port."),
                (["--port", "0", "--host", "203.0.113.7"], foreignAddress),
            ] {
                let second = try await Program.run(["serve", "--data", folder / "second"] + arguments)
                #expect(second.status == 1)
                #expect(second.errors.hasPrefix(reason), "\(arguments): \(second.errors)")
                #expect(!FileManager.default.fileExists(atPath: folder / "second"), "\(arguments)")
            }
        }
        try await database.drop()
    }

    @Test func missingDatabaseIsReportedWithoutItsPassword() async throws {
        let folder = try TemporaryFolder()
        let url = "postgresql://u:geheim@/name?host=\(folder.path)"
        for command in [["serve", "--port", "0"], ["migrate"], ["account", "list"], ["verify"]] {
            let outcome = try await Program.run(command + ["--database-url", url, "--data", folder / "data"])
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("The database cannot be reached (connection to server on socket"))
            let remedy = "Start it, or choose another with --database-url."
            #expect(outcome.errors.hasSuffix(" failed: No such file or directory). \(remedy)\n"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("geheim"))
            #expect(outcome.errors.split(separator: "\n").count == 1)
        }
        let unreadable = try await Program.run(["migrate", "--database-url", "postgres://u:geheim@h:port/%zz"])
        #expect(unreadable.status == 1)
        #expect(!unreadable.errors.contains("geheim"))
    }

    @Test func inaccessibleDataFolderIsExplained() async throws {
        let folder = try TemporaryFolder()
        let data = folder / "data"
        try FileManager.default.createDirectory(
            atPath: data, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o555])
        let user = getuid() == 0 ? "/usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups --" : ""
        // Runs a copy, because user 65534 may not have access to the build folder.
        let script = "cp \"$0\" \"$1\" && LLVM_PROFILE_FILE=/dev/null exec \(user) \"$1\" serve --port 0 --data \"$2\""
        let outcome = try await Program.run(["-c", script, Program.path, folder / "copy", data], program: "/bin/sh")
        #expect(outcome.status == 1)
        #expect(
            outcome.errors
                == "The data folder \(data) cannot be used (Permission denied): fix its permissions, free some disk space, or choose another with --data.\n"
        )
    }

    /// Whether something listens on the port. Uses a plain connection, because a client would retry until its timeout.
    private func isListening(_ port: Int) async -> Bool {
        (try? await RawConnection.open(port: port) { _ in }) != nil
    }
}
