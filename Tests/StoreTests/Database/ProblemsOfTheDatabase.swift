import Domain
import Postgres
import Store
import TestSupport
import Testing

@Suite struct ProblemsOfTheDatabase {
    @Test(arguments: [
        PostgresError(.cancelled, ""), PostgresError(.closed, ""), PostgresError(.timeout, ""),
        PostgresError(.server, "", sqlState: "57014"),
    ]) func temporaryErrorsSuggestARetry(_ error: PostgresError) {
        #expect(error.problem?.code == .overloaded)
        #expect(error.problem?.retryAfter == 1)
    }

    @Test func textWithNULIsABadRequest() async throws {
        try await TestStore.run { fixture in
            let (text, json) = ("a\0b", JSONB(#""\u0000""#))
            let statements: [Statement] = ["SELECT \(text)::text", "SELECT \(json)::jsonb"]
            for statement in statements {
                let error = await #expect(throws: PostgresError.self) {
                    try await fixture.store.pool.query(statement)
                }
                #expect(error?.problem?.code == .badRequest, "\(String(describing: error))")
            }
        }
    }

    @Test func violatedCheckIsAValidationProblemExceptInDataTables() {
        var error = PostgresError(.server, "", sqlState: "23514")
        error.table = "tally"
        error.constraint = "tally_count_not_negative"
        #expect(error.problem == nil)
        error.table = "meeting"
        error.constraint = "meeting_headcount_range"
        #expect(error.problem?.code == .validationFailed)
    }
}
