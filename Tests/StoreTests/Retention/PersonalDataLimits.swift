import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// The limits of the data that an account reads about itself.
@Suite(.timeLimit(.minutes(5))) struct PersonalDataLimits {
    @Test func listsThatHaveNoRoomAreReported() async throws {
        try await TestStore.run { fixture in
            _ = try await fixture.closedMeeting()
            let (data, id) = (fixture.store.personalData, fixture.host.account.id)
            let whole = try await data.read(id)
            #expect(whole.truncated.isEmpty)
            let filled = Set(whole.lists.filter { !$0.value.isEmpty }.map(\.key))
            #expect(filled.isSuperset(of: [.series, .meetings, .acts]))
            let none = try await data.read(id, maxBytes: 1)
            #expect(Set(none.truncated) == filled && none.lists.values.allSatisfy(\.isEmpty))
            // Half of the bytes have room for some of the rows.
            let size = whole.lists.values.joined().reduce(0) { $0 + $1.text.utf8.count }
            let half = try await data.read(id, maxBytes: size / 2)
            let kept = half.lists.values.joined().reduce(0) { $0 + $1.text.utf8.count }
            #expect(kept <= size / 2 && kept > 0 && !half.truncated.isEmpty)
        }
    }
}
