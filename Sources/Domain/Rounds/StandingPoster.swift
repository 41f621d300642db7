#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where the poster on the wall leads at a moment: one code for a whole series.
public enum StandingPoster {
    /// What it has to know of a round.
    public struct Round: Sendable, Equatable {
        public var number: Int
        /// Nil for an undated round, as is its end.
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

        /// Always, for an undated round.
        func takesCheckIns(at now: Date) -> Bool {
            CheckInWindow(startsAt: startsAt, endsAt: endsAt, lateAfterMinutes: 0).state(at: now) == .open
        }

        /// People are there or on their way, which an undated round says of no moment.
        func isOn(at now: Date) -> Bool { startsAt != nil && takesCheckIns(at: now) }

        func isRunning(at now: Date) -> Bool { isOn(at: now) && startsAt.map { $0 <= now } == true }

        /// People arrive before they answer: the check-in first, as long as the form does not take answers yet.
        func path(at now: Date) -> String {
            let waits = form == .draft || form == .scheduled
            return takesCheckIns(at: now) && waits ? "/c/\(checkInCode)" : "/f/\(code)"
        }
    }

    /// What is on now, else whose form is open, else what comes next, else what was last; nil without any round.
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
