import Foundation

/// Decides where a permanent poster leads at a moment: one code serves a whole series.
public enum StandingPoster {
    /// The facts about a round that the decision depends on.
    public struct Round: Sendable, Equatable {
        public var number: Int
        /// Nil for an undated round, like its end.
        public var startsAt: Date?
        public var endsAt: Date?
        public var form: FormState
        public var code: String
        public var checkInCode: String

        public init(
            number: Int, startsAt: Date?, endsAt: Date?, form: FormState, code: String, checkInCode: String
        ) {
            self.number = number
            self.startsAt = startsAt
            self.endsAt = endsAt
            self.form = form
            self.code = code
            self.checkInCode = checkInCode
        }

        /// True for an undated round.
        func takesCheckIns(at now: Date) -> Bool {
            CheckInWindow(startsAt: startsAt, endsAt: endsAt, lateAfterMinutes: 0).state(at: now) == .open
        }

        /// Whether people are there or on their way; false for an undated round.
        func isOn(at now: Date) -> Bool { startsAt != nil && takesCheckIns(at: now) }

        func isRunning(at now: Date) -> Bool { isOn(at: now) && startsAt.map { $0 <= now } == true }

        /// People arrive before they answer: check-in comes first while the form does not accept answers.
        func path(at now: Date) -> String {
            let waits = form == .draft || form == .scheduled
            return takesCheckIns(at: now) && waits ? "/c/\(checkInCode)" : "/f/\(code)"
        }
    }

    /// Returns the round that takes place now, else one whose form is open, else the next one, else the last one; nil
    /// without any round.
    public static func path(_ rounds: [Round], at now: Date) -> String? {
        round(of: rounds, at: now)?.path(at: now)
    }

    static func round(of rounds: [Round], at now: Date) -> Round? {
        func latest(_ among: [Round]) -> Round? {
            among.max { ($0.startsAt ?? .distantPast, $0.number) < ($1.startsAt ?? .distantPast, $1.number) }
        }
        func earliest(_ among: [Round]) -> Round? {
            among.min { ($0.startsAt ?? .distantFuture, $0.number) < ($1.startsAt ?? .distantFuture, $1.number) }
        }
        return latest(rounds.filter { $0.isRunning(at: now) })
            ?? earliest(rounds.filter { $0.isOn(at: now) })
            ?? latest(rounds.filter { $0.form == .open })
            ?? earliest(rounds.filter { $0.startsAt.map { $0 > now } == true })
            ?? latest(rounds)
    }
}
