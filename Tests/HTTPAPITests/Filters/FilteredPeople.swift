import Contract
import TestSupport
import Testing

/// Everything that can be read of an anonymous form, over its whole life, against the people who answered.
@Suite(.timeLimit(.minutes(15))) struct FilteredPeople {
    private static let keys = ["a", "b", "c"]
    private static let options = 1...3

    private static var questions: String {
        let all = keys.map { "{\"key\": \"\($0)\", \"kind\": \"rating\", \"title\": \"\($0)\", \"max\": 3}" }
        return "[\(all.joined(separator: ", "))]"
    }

    /// Mostly alike, so that there are groups at all.
    private static func people() -> [[Int]] {
        let kinds = (0..<Int.random(in: 1...3)).map { _ in keys.map { _ in Int.random(in: 1...2) } }
        return (0..<Int.random(in: 6...10)).map { _ in
            var answers = kinds.randomElement() ?? [1, 1, 1]
            if Int.random(in: 0...4) == 0 { answers[Int.random(in: 0...2)] = Int.random(in: 0...3) }
            return answers
        }
    }

    private static func submit(_ people: [[Int]], to meeting: TestMeeting) async throws {
        for answers in people {
            let members = zip(keys, answers).filter { $0.1 > 0 }.map { "\"\($0.0)\": \($0.1)" }
            try await meeting.submit("{\(members.joined(separator: ", "))}").expect(201)
        }
    }

    /// The populations of all that is answered now, over `size` people of whom the first `people.count` are here.
    private static func readings(
        of meeting: TestMeeting, _ people: [[Int]], among size: Int
    ) async throws -> [Population] {
        func population(_ isIn: ([Int]) -> Bool) -> Population {
            (0..<size).map { $0 < people.count && isIn(people[$0]) ? 1 : 0 }
        }
        var all: [Population] = []
        let whole = try await meeting.results().expect(200).decoded(as: Results.self)
        if whole.withheld == nil { all.append(population { _ in true }) }
        for (row, key) in keys.enumerated() {
            for value in options {
                let answer = try await meeting.host.get("\(meeting.path)/results?where=\(key):\(value)")
                guard answer.status == 200 else { continue }
                let asked = population { $0[row] == value }
                let found = try answer.decoded(as: FilteredResults.self)
                #expect(found.results.submissions == asked.reduce(0, +), "\(people) \(key):\(value)")
                all.append(asked)
            }
            for (column, other) in keys.enumerated() where column > row {
                let path = "\(meeting.path)/results/crosstab?rows=\(key)&columns=\(other)"
                let answer = try await meeting.host.get(path)
                guard answer.status == 200 else { continue }
                for point in try answer.decoded(as: CrossTab.self).points {
                    let cell = population { "\($0[row])" == point.row && "\($0[column])" == point.column }
                    #expect(point.count == cell.reduce(0, +), "\(people) \(path)")
                    all.append(cell)
                }
            }
        }
        return all
    }

    @Test(arguments: 0..<8)
    func noneOfThemStandsAlone(_: Int) async throws {
        try await TestService.run { service in
            let (first, late) = (Self.people(), Array(Self.people().prefix(4)))
            let size = first.count + late.count
            let meeting = try await service.openMeeting(
                Self.questions, settings: #""anonymous": true, "minimumGroup": 3"#)
            try await Self.submit(first, to: meeting)
            try await meeting.act("close").expect(200)
            var known = KnownPopulations(all: try await Self.readings(of: meeting, first, among: size))
            #expect(known.isolated(fewerThan: 3) == nil, "\(first)")
            try await meeting.act("reopen").expect(200)
            try await Self.submit(late, to: meeting)
            try await meeting.act("close").expect(200)
            let again = try await Self.readings(of: meeting, first + late, among: size)
            #expect(again.count == 1, "the whole, and no filter any more")
            known.all += again
            #expect(known.isolated(fewerThan: 3) == nil, "\(first) \(late)")
        }
    }
}
