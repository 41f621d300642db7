/// An image made anew: nothing of the file that was sent is in it but its pixels.
public struct CleanImage: Sendable, Equatable {
    public var format: ImageFormat
    public var bytes: [UInt8]
    public var width: Int
    public var height: Int

    public var mediaType: String { format.mediaType }
}
