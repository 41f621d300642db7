import Contract

extension Endpoint {
    static let getMe = Endpoint("GET", "/v1/me")
    static let editMe = Endpoint("PATCH", "/v1/me")
    static let leave = Endpoint("DELETE", "/v1/me")
    static let getMyData = Endpoint("GET", "/v1/me/data")
    static let getMyPicture = Endpoint("GET", "/v1/me/picture")
    static let setMyPicture = Endpoint("PUT", "/v1/me/picture")
    static let removeMyPicture = Endpoint("DELETE", "/v1/me/picture")

    static let account = [getMe, editMe, leave, getMyData, getMyPicture, setMyPicture, removeMyPicture]
}

extension Afterword.Host {
    /// The signed-in account.
    public func me() async throws -> Tagged<Profile> {
        try await call(.getMe).tagged()
    }

    /// Changes the signed-in account. Requires a session.
    @discardableResult
    public func edit(_ profile: Tagged<Profile>, _ edit: ProfileEdit) async throws -> Tagged<Profile> {
        try await editMe(edit, matching: profile.tag)
    }

    @discardableResult
    public func editMe(_ edit: ProfileEdit, matching tag: ETag) async throws -> Tagged<Profile> {
        try await call(.editMe, body: .json(edit), matching: tag).tagged()
    }

    /// Deletes the signed-in account.
    ///
    /// If the response is lost, the retry throws ``AfterwordError/uncertain(_:)``: the token of a deleted account is
    /// invalid, but so is one whose session ended in the meantime.
    ///
    /// - Parameter heir: The address of the account that receives the series. If nil, they move to the trash.
    public func leave(heir: String? = nil, matching tag: ETag? = nil) async throws {
        _ = try await call(.leave, body: .json(AccountDeletionRequest(heir: heir)), matching: tag)
    }

    /// All data stored about the person behind the signed-in account.
    public func myData() async throws -> PersonalData {
        try await call(.getMyData).value()
    }

    /// The account's picture. Throws ``AfterwordProblem/Code/notFound`` if there is none.
    public func myPicture() async throws -> Tagged<Picture> {
        try await call(.getMyPicture).picture()
    }

    public func setMyPicture(_ picture: Picture) async throws {
        _ = try await call(.setMyPicture, body: .bytes(picture.bytes, type: picture.mediaType))
    }

    public func removeMyPicture() async throws {
        _ = try await call(.removeMyPicture)
    }
}
