import AfterwordClient
import Foundation
import HTTPAPI
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct RosterCalls {
    @Test func membersAreAddedRenamedAndRemoved() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let series = try await host.createMeeting(MeetingRequest(title: "Club")).seriesId
            let people = ["Ada", "Bea", "Cem"].map { MemberRequest(name: $0, email: "\($0.lowercased())@example.org") }
            let added = try await host.addMembers(people, to: series)
            #expect(added.added == 3 && added.items.map(\.name) == ["Ada", "Bea", "Cem"])
            let table = "name,email,room\nDana,dana@example.org,4\nAda,ADA@example.org,5\n"
            let more = try await host.addMembers(csv: table, to: series)
            #expect(more.added == 1 && more.unchanged == 1)
            #expect(
                try await host.members(of: series).pageSize(3).first(9).map(\.name) == ["Ada", "Bea", "Cem", "Dana"])
            #expect(try await host.members(of: series, query: "bea").first(9).count == 1)

            let renamed = try await host.renameMembers([.init(name: "Béa", email: "bea@example.org")], of: series)
            #expect(renamed.map(\.name) == ["Béa"])
            let ada = try #require(added.items.first)
            let moved = try await host.editMember(ada.id, MemberEdit(email: "ada@example.com"), of: series)
            #expect(moved.name == "Ada" && moved.email == "ada@example.com")
            try await host.removeMember(ada.id, from: series)
            #expect(try await host.removeMembers(["bea@example.org", "nobody@example.org"], from: series) == 1)
            #expect(try await host.series(series).members == 2)
        }
    }

    @Test func faultsOfAListHavePointers() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let series = try await host.createMeeting(MeetingRequest(title: "Club")).seriesId
            let people = [MemberRequest(name: "", email: "a@example.org"), MemberRequest(name: "B", email: "b")]
            let problem = try await refusal { try await host.addMembers(people, to: series) }
            #expect(problem?.errors.map(\.pointer) == ["/members/0/name", "/members/1/email"])
            let table = try await refusal { try await host.addMembers(csv: "nothing", to: series) }
            #expect(table?.status == 400 || table?.status == 422)
            #expect(try await host.members(of: series).first(1).isEmpty)
        }
    }

    @Test func peopleJoinWithACode() async throws {
        let options = ServiceOptions(publicURL: "https://feedback.example.org", sendsMail: false)
        try await TestService.run(options: options) { service in
            let host = try service.hostClient
            let series = try await host.createMeeting(MeetingRequest(title: "House")).seriesId
            let end = Sample.time(inMinutes: 600)
            let code = try await host.createJoinCode(for: series, JoinCodeRequest(capacity: 2, expiresAt: end))
            #expect(code.url == "https://feedback.example.org/j/\(code.code)" && code.expiresAt == end)
            let joined = try await service.afterword.join(code.code, name: "Ada", email: "ada@example.org")
            #expect(joined.series == "House" && joined.name == "Ada")
            let person = try await service.afterword.person(try #require(joined.code))
            #expect(person.name == "Ada" && person.rounds == 0)
            #expect(try await service.afterword.join(code.code, name: "Ada", email: "ada@example.org").code == nil)
            _ = try await service.afterword.join(code.code, name: "Bea", email: "bea@example.org")
            let third = try await refusal {
                _ = try await service.afterword.join(code.code, name: "Cem", email: "cem@example.org")
            }
            #expect(third?.code == .joinCodeFull)

            let open = try await host.createJoinCode(for: series)
            #expect(open.capacity == nil && open.expiresAt == nil)
            #expect(try await host.joinCodes(of: series).pageSize(1).first(5).map(\.used) == [0, 2])
            try await host.revokeJoinCode(open.id, of: series)
            let revoked = try await refusal {
                _ = try await service.afterword.join(open.code, name: "D", email: "d@e.org")
            }
            #expect(revoked?.code == .notFound)
        }
    }
}
