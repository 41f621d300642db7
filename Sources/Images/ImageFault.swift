/// Why a file is not taken as an image; the raw value is the code that an answer shows.
public enum ImageFault: String, Error, Sendable, Equatable {
    /// Neither JPEG nor PNG nor WebP by its content, or broken, cut off or animated.
    case notAnImage = "not-an-image"
    /// More pixels than are decoded, whatever the size of the file.
    case tooManyPixels = "too-many-pixels"
    /// Too many images wait already; the same file may be sent again later.
    case overloaded
}
