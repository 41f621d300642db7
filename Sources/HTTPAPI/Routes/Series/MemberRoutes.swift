import Contract
import Domain
import HTTPTypes
import NIOCore
import Store
import StrictJSON

/// The roster of a series: list, add (as JSON or CSV), rename and remove members.
struct MemberRoutes: Sendable {
    /// The size of the largest body: enough for 500 people with the longest names and addresses.
    static let limit = 2 * 1024 * 1024

    let store: Store

    var routes: [Route] {
        let (members, member) = ("/v1/series/{id}/members", "/v1/series/{id}/members/{memberId}")
        let memberList = Route.Content.json(limit: Self.limit)
        return [
            Route(.get, members, access: .account(.readMeetings), query: ["q", "limit", "cursor"], handler: list),
            Route(
                .post, members, access: .account(.writeMeetings),
                accepts: .media([MediaType.json, MemberTable.mediaType], limit: Self.limit), handler: add),
            Route(.patch, members, access: .account(.writeMeetings), accepts: memberList, handler: rename),
            Route(.delete, members, access: .account(.writeMeetings), accepts: memberList, handler: removeSome),
            Route(.patch, member, access: .account(.writeMeetings), accepts: .json(), handler: change),
            Route(.delete, member, access: .account(.writeMeetings), produces: [], handler: remove),
        ]
    }

    private func list(_ request: APIRequest) async throws -> APIResponse {
        let (id, _) = try await store.requireSeries(for: request, atLeast: .editor)
        let (searchText, limit, after) = try request.query { reader in
            (reader.string("q").flatMap { $0.isEmpty ? nil : $0 }, reader.limit(), reader.cursor(Cursor.address))
        }
        let found = try await store.roster.list(of: id, searchText: searchText, after: after, limit: limit + 1)
        return try .page(found, limit: limit, after: { Cursor.after(address: $0.email) }) { Contract.Member($0) }
    }

    private func add(_ request: APIRequest) async throws -> APIResponse {
        let (id, principal) = try await store.requireSeries(for: request, atLeast: .editor)
        let (type, bytes) = try await request.content()
        let document = RequestDocument(bytes: bytes)
        let drafts =
            type == MediaType.json
            ? try MemberDraft.readSome(document.json()) : try MemberTable.read(bytes.readableBytesView)
        return .created(
            try await store.roster.add(
                drafts, to: id, by: principal, once: request.idempotentRequest(document)
            ) { members, added in
                try ContractCoding.encode(
                    MembersAdded(
                        items: members.map { Contract.Member($0) }, added: added, unchanged: members.count - added))
            })
    }

    private func rename(_ request: APIRequest) async throws -> APIResponse {
        let (id, principal) = try await store.requireSeries(for: request, atLeast: .editor)
        let drafts = try MemberDraft.readList(await request.document().json())
        let members = try await store.roster.rename(drafts, in: id, by: principal)
        return try .json(MembersChanged(items: members.map { Contract.Member($0) }))
    }

    private func change(_ request: APIRequest) async throws -> APIResponse {
        let (id, principal) = try await store.requireSeries(for: request, atLeast: .editor)
        let memberID = try request.uuid("memberId")
        try await store.roster.require(memberID, in: id)
        let change = try MemberChange.read(await request.document().json())
        let member = try await store.roster.change(memberID, change, in: id, by: principal)
        return try .json(Contract.Member(member))
    }

    private func remove(_ request: APIRequest) async throws -> APIResponse {
        let (id, principal) = try await store.requireSeries(for: request, atLeast: .editor)
        try await store.roster.remove(request.uuid("memberId"), from: id, by: principal)
        return .noContent
    }

    private func removeSome(_ request: APIRequest) async throws -> APIResponse {
        let (id, principal) = try await store.requireSeries(for: request, atLeast: .editor)
        let emails = try MemberChange.readAddresses(await request.document().json())
        let removed = try await store.roster.remove(emails, from: id, by: principal)
        return try .json(MembersRemoved(removed: removed))
    }
}
