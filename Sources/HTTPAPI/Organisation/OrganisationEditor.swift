import Domain
import Images
import Store

/// Changes the organisation's name, logo and accent colour, for the admins' page. There is no route for it.
public struct OrganisationEditor: Sendable {
    /// Why a file cannot be the logo.
    public enum LogoFault: Error, Sendable {
        /// Not a complete PNG or JPEG.
        case notAnImage
        case tooManyPixels
        /// Other images are being read.
        case overloaded
    }

    /// What becomes of the logo.
    public enum Logo: Sendable {
        case keep
        case remove
        case file([UInt8])
    }

    private let store: Store
    private let images = ImageCleaner(waiting: 4, perAccount: 1)

    public init(_ store: Store) { self.store = store }

    /// Stores the values. A logo is encoded again first, so that nothing of the file but its pixels is served.
    ///
    /// Throws `LogoFault` for a file that is no logo, and a `Problem` unless the reader is an admin.
    public func save(name: String?, accent: AccentColor?, logo: Logo, by reader: HostReader) async throws {
        guard reader.isAdmin else { throw Problem(.forbidden, "Only admins may do this.") }
        let change: Organisation.LogoChange
        switch logo {
        case .keep: change = .keep
        case .remove: change = .remove
        case .file(let bytes): change = .set(try await cleaned(bytes, by: reader))
        }
        _ = try await store.organisations.save(name: name, accent: accent, logo: change, by: reader.principal)
    }

    private func cleaned(_ bytes: [UInt8], by reader: HostReader) async throws(LogoFault) -> Organisation.Logo {
        do {
            let image = try await images.clean(bytes, for: reader.principal.account.id, as: .logo)
            return .init(bytes: image.bytes, mediaType: image.mediaType, width: image.width, height: image.height)
        } catch {
            switch error {
            case .notAnImage: throw .notAnImage
            case .tooManyPixels: throw .tooManyPixels
            case .overloaded: throw .overloaded
            }
        }
    }
}
