/// A data type of the server, identified by its OID.
public struct PostgresType: Sendable, Equatable {
    public let oid: UInt32

    public init(oid: UInt32) { self.oid = oid }

    public static let unspecified = PostgresType(oid: 0)
    public static let bool = PostgresType(oid: 16)
    public static let bytea = PostgresType(oid: 17)
    public static let char = PostgresType(oid: 18)
    public static let name = PostgresType(oid: 19)
    public static let int8 = PostgresType(oid: 20)
    public static let int2 = PostgresType(oid: 21)
    public static let int4 = PostgresType(oid: 23)
    public static let text = PostgresType(oid: 25)
    public static let objectIdentifier = PostgresType(oid: 26)
    public static let json = PostgresType(oid: 114)
    public static let float4 = PostgresType(oid: 700)
    public static let float8 = PostgresType(oid: 701)
    public static let unknown = PostgresType(oid: 705)
    public static let bpchar = PostgresType(oid: 1042)
    public static let varchar = PostgresType(oid: 1043)
    public static let date = PostgresType(oid: 1082)
    public static let timestamptz = PostgresType(oid: 1184)
    public static let numeric = PostgresType(oid: 1700)
    public static let uuid = PostgresType(oid: 2950)
    public static let jsonb = PostgresType(oid: 3802)

    /// Whether the type was created by an extension or by `CREATE TYPE`. Enums and `citext` are such types, and their
    /// binary format is text.
    var isUserDefined: Bool { oid >= 16384 }

    /// The type of arrays of this type. Nil for arrays, and for types whose arrays are never sent.
    var array: PostgresType? {
        switch self {
        case .bool: PostgresType(oid: 1000)
        case .bytea: PostgresType(oid: 1001)
        case .int2: PostgresType(oid: 1005)
        case .int4: PostgresType(oid: 1007)
        case .text: PostgresType(oid: 1009)
        case .int8: PostgresType(oid: 1016)
        case .float8: PostgresType(oid: 1022)
        case .timestamptz: PostgresType(oid: 1185)
        case .uuid: PostgresType(oid: 2951)
        case .jsonb: PostgresType(oid: 3807)
        default: nil
        }
    }
}
