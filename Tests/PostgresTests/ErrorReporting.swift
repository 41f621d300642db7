import Foundation
import Postgres
import Testing

@Suite struct ErrorReporting {
    private func preparedConnection() async throws -> Connection {
        let connection = try await Fixture().connect()
        try await connection.script(
            """
            CREATE TABLE person (id int CONSTRAINT person_key PRIMARY KEY, mail text NOT NULL,
                                 CONSTRAINT person_mail CHECK (mail LIKE '%@%'));
            INSERT INTO person VALUES (1, 'secret@example.org');
            """)
        return connection
    }

    @Test func violatedConstraintIsNamed() async throws {
        let connection = try await preparedConnection()
        let mail = "other-secret@example.org"
        let error = await refusal { try await connection.execute("INSERT INTO person VALUES (1, \(mail))") }
        #expect(error?.kind == .server && error?.sqlState == "23505")
        #expect(error?.violates("person_key") == true && error?.violates("person") == false)
        #expect(error?.table == "person")
        #expect(error?.detail?.contains("(id)=(1)") == true)
        #expect(try await connection.query("SELECT 1").count == 1)
    }

    @Test func missingValueNamesItsColumn() async throws {
        let connection = try await preparedConnection()
        let error = await refusal { try await connection.execute("INSERT INTO person (id) VALUES (2)") }
        #expect(error?.sqlState == "23502" && error?.column == "mail")
    }

    @Test func descriptionsContainNoValues() async throws {
        let connection = try await preparedConnection()
        let secret = "hunter2"
        let errors = [
            await refusal { try await connection.execute("INSERT INTO person VALUES (2, \(secret))") },
            await refusal { try await connection.query("SELECT \(secret)::uuid") },
            await refusal { try await connection.query("SELECT \(secret)::int") },
            await refusal { try await connection.query("SELECT \(secret)").first?.decode(Int.self) },
            await refusal { try await connection.pipeline(["SELECT 1", "SELECT \(secret)::timestamptz"]) },
        ]
        for error in errors {
            let error = try #require(error)
            var dumped = ""
            dump(error, to: &dumped)
            for text in ["\(error)", String(reflecting: error), dumped] { #expect(!text.contains(secret)) }
        }
        #expect("\(try #require(errors[0]))" == "server 23514 (person_mail)")
    }

    @Test func unknownTableIsDescribed() async throws {
        let error = try #require(await refusal { try await Fixture().connect().query("SELECT * FROM nowhere") })
        #expect("\(error)" == "server 42P01: relation \"nowhere\" does not exist")
    }

    @Test(arguments: [
        ("submission_pkey", true), ("submission_pkey_102008", true), ("submission_pkey_", false),
        ("submission_pkey_10x", false), ("submission_pkey2", false), ("submission", false),
    ]) func violatesIgnoresTheShardNumber(_ constraint: String, _ isSame: Bool) {
        var error = PostgresError(.server, "duplicate key", sqlState: "23505")
        error.constraint = constraint
        #expect(error.violates("submission_pkey") == isSame)
    }

    /// PostgreSQL's messages, which Citus passes on without the fields of the error.
    @Test(
        arguments: [
            (#"duplicate key value violates unique constraint "person_key_102008""#, "person_key_102008", nil, nil),
            (#"new row for relation "person" violates check constraint "person_mail""#, "person_mail", "person", nil),
            (#"null value in column "mail" of relation "person" violates not-null constraint"#, nil, "person", "mail"),
            (
                #"insert or update on table "letter" violates foreign key constraint "letter_person""#, "letter_person",
                "letter", nil
            ),
            (#"conflicting key value violates exclusion constraint "no_overlap""#, "no_overlap", nil, nil),
            ("doppelter Schlüsselwert verletzt Unique-Constraint »person_key«", nil, nil, nil),
        ] as [(String, String?, String?, String?)])
    func namesInAMessageAreRead(_ message: String, _ constraint: String?, _ table: String?, _ column: String?) {
        var error = PostgresError(.server, message, sqlState: "23505")
        error.readNamesInMessage()
        #expect(error.constraint == constraint && error.table == table && error.column == column)
    }

    @Test(arguments: [
        ("40001", true, false), ("40P01", true, false), ("08006", false, true), ("57P01", false, true),
        ("57P03", false, true), ("23505", false, false), ("57014", false, false),
    ])
    func sqlStatesDecideRetriesAndReconnects(_ state: String, _ isRetryable: Bool, _ isLost: Bool) {
        let error = PostgresError(.server, "", sqlState: state)
        #expect(error.isRetryable == isRetryable && error.isConnectionLost == isLost)
    }
}
