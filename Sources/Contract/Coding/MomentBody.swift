import Foundation

/// An instant, or an offset in minutes from the meeting's `start` or `end`.
public enum MomentBody: Codable, Sendable, Equatable {
    case instant(Date)
    case offset(from: String, minutes: Int)

    private enum CodingKeys: CodingKey {
        case from, minutes
    }

    public init(from decoder: any Decoder) throws {
        if let offset = try? decoder.container(keyedBy: CodingKeys.self) {
            self = .offset(
                from: try offset.decode(String.self, forKey: .from),
                minutes: try offset.decode(Int.self, forKey: .minutes))
        } else {
            self = .instant(try decoder.singleValueContainer().decode(Date.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .instant(let date):
            var container = encoder.singleValueContainer()
            try container.encode(date)
        case .offset(let anchor, let minutes):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(anchor, forKey: .from)
            try container.encode(minutes, forKey: .minutes)
        }
    }
}
