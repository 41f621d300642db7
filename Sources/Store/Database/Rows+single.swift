import Domain
import Postgres

extension Rows {
    /// Returns the only row of a statement that must return one.
    func single() throws -> Row {
        guard let row = first else { throw Problem(.internalError, "A required row is missing.") }
        return row
    }

    /// Returns the only row; throws 404 when there is none.
    func found() throws -> Row {
        guard let row = first else { throw Problem(.notFound) }
        return row
    }
}
