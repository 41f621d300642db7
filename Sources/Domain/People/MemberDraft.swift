import StrictJSON

/// A request to add a person to a roster.
public struct MemberDraft: Sendable, Equatable {
    /// The largest number of people in one request.
    public static let maximumCount = 500

    public var name: PersonName
    public var email: EmailAddress

    public init(name: PersonName, email: EmailAddress) {
        self.name = name
        self.email = email
    }

    /// Returns nil if there are errors, which the reader collects.
    public init?(_ reader: ObjectReader) {
        let (name, email) = (reader.requiredPersonName(), reader.requiredMailAddress())
        guard let name, let email else { return nil }
        self.init(name: name, email: email)
    }

    /// Parses one person. Throws a `Problem` with all errors.
    public static func readOne(_ body: JSONValue) throws(Problem) -> MemberDraft {
        let reader = ObjectReader(body)
        return try reader.requireNoFaults(reading: MemberDraft(reader))
    }

    /// Parses one person or a list. Throws a `Problem` with all errors.
    public static func readSome(_ body: JSONValue) throws(Problem) -> [MemberDraft] {
        body["members"] == nil ? [try readOne(body)] : try readList(body)
    }

    /// Parses `members`, a list of at most 500. Throws a `Problem` with all errors.
    public static func readList(_ body: JSONValue) throws(Problem) -> [MemberDraft] {
        let reader = ObjectReader(body)
        return try reader.requireNoFaults(reading: reader.people("members")?.compactMap { MemberDraft($0) })
    }
}

/// A host's change of a member. Nil leaves a field unchanged.
public struct MemberChange: Sendable, Equatable {
    public var name: PersonName?
    public var email: EmailAddress?

    /// Parses a body with a name, an address or both. Throws a `Problem` with all errors.
    public static func read(_ body: JSONValue) throws(Problem) -> MemberChange {
        let reader = ObjectReader(body)
        var change = MemberChange()
        if reader.has("name") || reader.isNull("name") { change.name = reader.requiredPersonName() }
        if reader.has("email") || reader.isNull("email") { change.email = reader.requiredMailAddress() }
        try reader.requireNoFaults()
        return change
    }

    /// Parses `emails`, a list of at most 500. Throws a `Problem` with all errors.
    public static func readAddresses(_ body: JSONValue) throws(Problem) -> [EmailAddress] {
        let reader = ObjectReader(body)
        var emails: [EmailAddress] = []
        let pointer = reader.pointer(to: "emails")
        let values = reader.requiredArray("emails") ?? []
        if reader.checkCount("emails", values.count) {
            for (index, value) in values.enumerated() {
                if let email = value.string.flatMap({ EmailAddress($0) }) {
                    emails.append(email)
                } else {
                    reader.add([
                        Fault(
                            value.string == nil ? .malformed : .invalid, at: "\(pointer)/\(index)",
                            code: value.string == nil ? "wrong-type" : "invalid-email",
                            "An e-mail address is expected here.")
                    ])
                }
            }
        }
        try reader.requireNoFaults()
        return emails
    }
}

extension ObjectReader {
    /// A list of 1 to 500 objects. The objects of a longer list are not read.
    fileprivate func people(_ name: String) -> [ObjectReader]? {
        guard let elements = requiredArray(name), checkCount(name, elements.count) else { return nil }
        return objects(name)
    }

    fileprivate func checkCount(_ name: String, _ count: Int) -> Bool {
        if count > MemberDraft.maximumCount {
            fault(at: name, code: "too-many", "At most \(MemberDraft.maximumCount) are allowed at once.")
        } else if count == 0, faults.isEmpty {
            fault(at: name, code: "required", "At least one is expected here.")
        }
        return count <= MemberDraft.maximumCount
    }
}
