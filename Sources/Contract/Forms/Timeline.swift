import Foundation

/// The number of submissions by minute, hour or day, from the first to the last submission. Empty periods are 0.
public struct Timeline: Codable, Sendable, Equatable {
    public struct Dataset: Codable, Sendable, Equatable {
        public var id: String
        public var label: String
        public var data: [Int]

        public init(id: String, label: String, data: [Int]) {
            self.id = id
            self.label = label
            self.data = data
        }
    }

    public struct Point: Codable, Sendable, Equatable {
        public var at: Date
        public var count: Int
        /// The total at the end of the period.
        public var total: Int

        public init(at: Date, count: Int, total: Int) {
            self.at = at
            self.count = count
            self.total = total
        }
    }

    public var meetingId: ResourceID
    public var formId: ResourceID
    /// `minute`, `hour` or `day`.
    public var bucket: String
    /// The time zone of days and labels.
    public var timeZone: String
    public var labels: [String]
    public var startsAt: [Date]
    public var datasets: [Dataset]
    public var points: [Point]

    public init(
        meetingId: ResourceID, formId: ResourceID, bucket: String, timeZone: String, labels: [String],
        startsAt: [Date], datasets: [Dataset], points: [Point]
    ) {
        self.meetingId = meetingId
        self.formId = formId
        self.bucket = bucket
        self.timeZone = timeZone
        self.labels = labels
        self.startsAt = startsAt
        self.datasets = datasets
        self.points = points
    }
}
