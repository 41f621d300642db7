import Testing

@testable import Store

/// The places of waiting submissions, of which the last quarter is shared among addresses.
@Suite struct PlacesOfTheIntake {
    @Test func oneAddressGetsAQuarterOfTheLastPlaces() {
        let places = IntakePlaces(32)
        let taken = (0..<27).map { _ in places.take { "192.0.2.1" } }
        #expect(taken.map { $0 != nil } == Array(repeating: true, count: 26) + [false])
        let others = ["192.0.2.2", "192.0.2.2", "192.0.2.2", "192.0.2.3"].map { address in places.take { address } }
        #expect(others.map { $0 != nil } == [true, true, false, true])
        #expect(places.takenCount == 29)
        // A submission without a client, such as one of the demo, is not limited.
        #expect((0..<4).map { _ in places.take(for: nil) != nil } == [true, true, true, false])
        for place in (taken + others).compactMap(\.self) { places.free(place) }
        #expect(places.takenCount == 3)
    }

    @Test func freedPlacesAreTakenAgain() {
        let places = IntakePlaces(8)
        for _ in 0..<3 {
            let taken = (0..<8).map { _ in places.take { "192.0.2.1" } }
            #expect(taken.count(where: { $0 != nil }) == 7)
            for place in taken.compactMap(\.self) { places.free(place) }
        }
        #expect(places.takenCount == 0)
    }

    /// The address of a client is not computed as long as there are enough places.
    @Test func addressIsNeededForTheLastPlacesOnly() async {
        let places = IntakePlaces(8)
        await confirmation(expectedCount: 1) { needed in
            for _ in 0..<7 {
                let place = places.take {
                    needed()
                    return "192.0.2.1"
                }
                #expect(place != nil)
            }
        }
    }
}
