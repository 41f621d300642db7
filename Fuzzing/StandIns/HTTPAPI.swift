import HTTPTypes

/// The part of a request that the readers of headers and queries use.
public struct APIRequest: Sendable {
    let headers: HTTPFields
    let rawQuery: String?

    func query<Value>(_ read: (inout QueryReader) throws -> Value) throws -> Value {
        var reader = QueryReader(rawQuery, known: ["limit", "cursor"])
        let value = try read(&reader)
        try reader.finish()
        return value
    }
}
