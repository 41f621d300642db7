import Domain
import Postgres

extension Rows {
    /// The only row of a statement that must give one.
    func single() throws -> Row {
        guard let row = first else { throw Problem(.internalError, "A row that must be there is missing.") }
        return row
    }

    /// The only row, else 404.
    func found() throws -> Row {
        guard let row = first else { throw Problem(.notFound) }
        return row
    }
}
