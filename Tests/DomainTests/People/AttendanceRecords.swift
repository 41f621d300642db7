import Domain
import Testing

@Suite struct AttendanceRecords {
    @Test func peopleWhoNeverAttendedHaveNoStreak() {
        let nobody = AttendanceRecord([])
        #expect(nobody.currentStreak == 0 && nobody.longestStreak == 0 && nobody.attended == 0)
        let missing = AttendanceRecord([.absent, nil])
        #expect(missing.longestStreak == 0 && missing.absent == 1)
    }

    @Test func lateCountsAsAttendedAndAMissedRoundEndsAStreak() {
        let record = AttendanceRecord([.present, .late, .present, nil, .late, .absent, .present, .late])
        #expect(record.present == 3 && record.late == 3 && record.absent == 1)
        #expect(record.longestStreak == 3 && record.currentStreak == 2)
    }

    /// Compares with the definition: the longest run of attended rounds, and the longest such run at the end.
    @Test func streaksMatchTheirDefinition() {
        var generator = SystemRandomNumberGenerator()
        let statuses: [AttendanceStatus?] = [.present, .late, .absent, nil]
        for _ in 0..<500 {
            let rounds = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                statuses[Int.random(in: 0..<4, using: &generator)]
            }
            let record = AttendanceRecord(rounds)
            var longest = 0
            var current = 0
            for start in rounds.indices {
                for end in start..<rounds.endIndex where rounds[start...end].allSatisfy({ $0?.attended == true }) {
                    longest = max(longest, end - start + 1)
                    if end == rounds.endIndex - 1 { current = max(current, end - start + 1) }
                }
            }
            #expect(record.longestStreak == longest && record.currentStreak == current, "\(rounds)")
            #expect(record.longestStreak >= record.currentStreak)
            #expect(record.attended + record.absent + rounds.count { $0 == nil } == rounds.count)
        }
    }
}
