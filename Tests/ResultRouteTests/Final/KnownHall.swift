import Cryptography
import Foundation
import Postgres
import TestSupport

/// People who answered an anonymous form one after the other, watched by an observer who knows them, their order, and
/// what their devices sent.
struct KnownHall {
    struct Person {
        var number: Int
        var device: String
        var key: String
        /// The part of the text that identifies the person to the test. The observer does not know it.
        var mark: String { "<\(number)>" }
        var id = ""
        var hasWithdrawn = false
    }

    static let questions = """
        [{"key": "pace", "kind": "rating", "title": "How was the pace?"},
         {"key": "topic", "kind": "choice", "title": "What helped?", "other": true,
          "options": [{"id": "demo", "label": "The demo"}, {"id": "talk", "label": "The talk"}]},
         {"key": "better", "kind": "text", "title": "What should change?", "maxLength": 10000}]
        """

    let service: TestService
    let meeting: TestMeeting
    var people: [Person] = []

    /// A hall of forty people. Some texts are long, two submissions are corrected and two withdrawn, and the form is
    /// edited.
    static func withAnswers(_ service: TestService) async throws -> KnownHall {
        let settings = #""anonymous": true, "identity": "device""#
        let meeting = try await service.openMeeting(questions, settings: settings)
        var hall = KnownHall(service: service, meeting: meeting)
        for number in 0..<40 {
            var person = Person(
                number: number, device: Base64URL.encode(RandomBytes.make(32)), key: "the-key-of-person-\(number)")
            let sent = try await meeting.submit(
                hall.answers(of: person), key: person.key, respondent: person.device
            ).expect(201)
            person.id = try sent.string("id")
            person.hasWithdrawn = [5, 22].contains(number)
            hall.people.append(person)
            let submissionPath = "\(meeting.submissionsPath)/\(person.id)"
            let proof = ["Authorization": "Receipt \(try sent.string("receipt"))"]
            if [3, 23].contains(number) {
                let json = "{\"answers\": \(hall.answers(of: person))}"
                try await service.anyone.put(submissionPath, json: json, headers: proof).expect(200)
            }
            if person.hasWithdrawn { try await service.anyone.delete(submissionPath, headers: proof).expect(204) }
            if number == 20 {
                let reworded = questions.replacing("What helped?", with: "What helped you?")
                try await meeting.define("{\(settings), \"questions\": \(reworded)}").expect(200)
            }
        }
        return hall
    }

    /// The answers of a person. Only the last participant gives the rating 5.
    private func answers(of person: Person) -> String {
        let isLast = person.number == 39
        let long = person.number % 4 == 0 ? Base64URL.encode(RandomBytes.make(4500)) : "short"
        let (pace, topic) = isLast ? (5, "talk") : (person.number % 4 + 1, person.number % 3 == 0 ? "talk" : "demo")
        return "{\"pace\": \(pace), \"topic\": \"\(topic)\", \"better\": \"\(person.mark) \(long)\"}"
    }

    /// The people with stored answers, in the order in which they came.
    var present: [Person] { people.filter { !$0.hasWithdrawn } }

    /// The numbers of the authors of these texts, from their marks. The observer guesses that the texts are in the
    /// order in which the people came.
    func order(in texts: [String]) -> [Int] {
        texts.compactMap { text in
            guard let mark = text.firstMatch(of: /<(\d+)>/) else { return nil }
            return Int(mark.output.1)
        }
    }
}

/// The quality of a guessed order.
struct Linking: CustomStringConvertible {
    var matches: Int
    /// Spearman's rank correlation between the guessed and the true order.
    var correlation: Double
    var count: Int

    init(guess: [Int], truth: [Int]) {
        count = guess.count
        matches = zip(guess, truth).count { $0 == $1 }
        let rank = Dictionary(truth.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let squares = guess.enumerated().map { index, person in
            let distance = Double(index - (rank[person] ?? 0))
            return distance * distance
        }
        let n = Double(count)
        correlation = 1 - 6 * squares.reduce(0, +) / (n * (n * n - 1))
    }

    var description: String { "\(matches) of \(count) linked, correlation \(correlation)" }

    /// Whether most positions in the guess are right, or its order is nearly right.
    var succeeded: Bool { matches >= 30 || correlation > 0.95 }

    /// Randomly permuted rows exceed these limits less than once in a million times. The number of matches in a random
    /// permutation approximately follows a Poisson distribution with mean 1 (ten or more: 1.1e-7). Its rank correlation
    /// times √(n−1) is approximately normally distributed (5.2: 2e-7).
    var isChance: Bool { count == 38 && matches < 10 && abs(correlation) < 5.2 / 37.0.squareRoot() }
}
