/// Where the standing code of a series leads at this moment.
public struct PosterTarget: Codable, Sendable, Equatable {
    public var url: String

    public init(url: String) {
        self.url = url
    }
}
