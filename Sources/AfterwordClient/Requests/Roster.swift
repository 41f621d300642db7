import Contract

extension Endpoint {
    static let listMembers = Endpoint("GET", "/v1/series/{id}/members")
    static let addMembers = Endpoint("POST", "/v1/series/{id}/members", .keyed)
    static let editMembers = Endpoint("PATCH", "/v1/series/{id}/members")
    static let removeMembers = Endpoint("DELETE", "/v1/series/{id}/members")
    static let editMember = Endpoint("PATCH", "/v1/series/{id}/members/{memberId}")
    static let removeMember = Endpoint("DELETE", "/v1/series/{id}/members/{memberId}")

    static let roster = [listMembers, addMembers, editMembers, removeMembers, editMember, removeMember]
}

extension Afterword.Host {
    /// The roster of a series, ordered by address.
    ///
    /// - Parameter query: Only members whose name or address contains this text.
    public func members(of series: ResourceID, query: String? = nil) -> Pages<Member> {
        pages(.listMembers, series, query: ["q": query])
    }

    /// Adds up to 500 people to the roster. Existing members are unchanged.
    @discardableResult
    public func addMembers(
        _ members: [MemberRequest], to series: ResourceID, key: IdempotencyKey? = nil
    ) async throws -> MembersAdded {
        try await call(.addMembers, series, body: .json(MembersRequest(members: members)), key: key).value()
    }

    /// Adds up to 500 people from a CSV table with the columns `name` and `email`.
    @discardableResult
    public func addMembers(
        csv: String, to series: ResourceID, key: IdempotencyKey? = nil
    ) async throws -> MembersAdded {
        try await call(.addMembers, series, body: .bytes(Array(csv.utf8), type: "text/csv"), key: key).value()
    }

    /// Renames up to 500 members, who are identified by address.
    @discardableResult
    public func renameMembers(_ members: [MemberRequest], of series: ResourceID) async throws -> [Member] {
        try await call(.editMembers, series, body: .json(MembersRequest(members: members))).value(MembersChanged.self)
            .items
    }

    @discardableResult
    public func editMember(_ id: ResourceID, _ edit: MemberEdit, of series: ResourceID) async throws -> Member {
        try await call(.editMember, series, id, body: .json(edit)).value()
    }

    public func removeMember(_ id: ResourceID, from series: ResourceID) async throws {
        _ = try await call(.removeMember, series, id)
    }

    /// Removes up to 500 people from the roster and returns how many were members.
    ///
    /// If the first response was lost, the result counts only the members that the retry removed. In that case, 0 means
    /// that none of these people is a member any longer.
    @discardableResult
    public func removeMembers(_ emails: [String], from series: ResourceID) async throws -> Int {
        try await call(.removeMembers, series, body: .json(MemberAddresses(emails: emails))).value(MembersRemoved.self)
            .removed
    }
}
