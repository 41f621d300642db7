import Foundation

/// Decides to which page the poster of a series leads at a given time.
public enum StandingPoster {
    /// The properties of a round on which the decision depends.
    public struct Round: Sendable, Equatable {
        public var number: Int
        /// Nil, like `endsAt`, for an undated round.
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

        /// Whether the check-in is open, as it always is for an undated round.
        func acceptsCheckIns(at now: Date) -> Bool {
            CheckInWindow(startsAt: startsAt, endsAt: endsAt, lateAfterMinutes: 0).state(at: now) == .open
        }

        /// Whether people are at the meeting or on their way. False for an undated round.
        func isOn(at now: Date) -> Bool { startsAt != nil && acceptsCheckIns(at: now) }

        func isRunning(at now: Date) -> Bool { isOn(at: now) && startsAt.map { $0 <= now } == true }

        /// The path of the check-in page while the check-in is open and the form is not open yet, otherwise the path of
        /// the form.
        func path(at now: Date) -> String {
            let isNotOpenYet = form == .draft || form == .scheduled
            return acceptsCheckIns(at: now) && isNotOpenYet ? "/c/\(checkInCode)" : "/f/\(code)"
        }
    }

    /// Returns the path to which the poster leads, or nil if there is no round.
    ///
    /// The poster leads to a round that is running, otherwise to a dated round whose check-in is open, otherwise to one
    /// whose form is open, otherwise to the next round, otherwise to the last round.
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
