import Foundation
import StrictJSON
import Testing

@testable import WebPages

/// The repetition of a series' next round, as a host types it.
@Suite struct TypedRepetitions {
    @Test(
        arguments: [
            ("count=1&interval=2&unit=weeks", nil), ("count=", nil), ("", nil),
            ("count=3", #"{"every":"P1W","count":3}"#),
            ("count=3&interval=2&unit=weeks", #"{"every":"P2W","count":3}"#),
            ("count=3&interval=1&unit=months", #"{"every":"P1M","count":3}"#),
            ("count=3&interval=2&unit=weekdays", #"{"every":"P2M","count":3,"day":"weekday"}"#),
            ("count=3&interval=&unit=lastWeekdays", #"{"every":"P1M","count":3,"day":"lastWeekday"}"#),
            ("count=x&interval=-2&unit=nothing", #"{"every":"P-2W","count":"x"}"#),
        ] as [(String, String?)])
    func typedRepetitionIsSent(fields: String, json: String?) {
        #expect(RoundRepetition(FormFields(fields)).json?.text == json)
    }
}
