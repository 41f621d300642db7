import Foundation

/// The permissions of a secret file that other users may be able to read.
struct SecretFileExposure: Equatable {
    let path: String
    let mode: mode_t
    /// Whether the file belongs to the user of this process, who can then change its mode. Mounted secrets often belong
    /// to another user.
    let isOwn: Bool

    /// Nil for a missing file, and for one that only its owner can access.
    ///
    /// - Parameter user: The user of this process.
    init?(_ path: String, user: uid_t = geteuid()) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
        (self.path, mode, isOwn) = (path, status.st_mode & 0o777, status.st_uid == user)
    }

    /// What is wrong, and how to correct it. `doctor` prints this sentence, and `SecretFile.load` throws or logs it.
    var sentence: String {
        let mode = String(mode, radix: 8)
        return isOwn
            ? "\(path) has mode \(mode), so others may be able to read it: run `chmod 600 \(path)`."
            : "\(path) has mode \(mode) and belongs to another user, so others may be able to read it: "
                + "give it mode 400 where it comes from, and let it belong to the user of this service."
    }
}
