import Domain
import Images
import StrictJSON

extension ImageFault {
    /// The problem that the sender of the file receives.
    var problem: Problem {
        switch self {
        case .notAnImage:
            Problem([Fault(.invalid, at: "", code: rawValue, "A whole, still JPEG, PNG or WebP image is expected.")])
        case .tooManyPixels:
            Problem([
                Fault(.invalid, at: "", code: rawValue, "At most 24 megapixels and 10,000 pixels a side are taken.")
            ])
        case .overloaded: Problem(.overloaded, "Other images are being read; try again later.", retryAfter: 5)
        }
    }
}
