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
    /// The own account.
    public func me() async throws -> Tagged<Profile> {
        try await call(.getMe).tagged()
    }

    /// Changes the own account; it takes a session.
    @discardableResult
    public func edit(_ profile: Tagged<Profile>, _ edit: ProfileEdit) async throws -> Tagged<Profile> {
        try await editMe(edit, matching: profile.tag)
    }

    @discardableResult
    public func editMe(_ edit: ProfileEdit, matching tag: ETag) async throws -> Tagged<Profile> {
        try await call(.editMe, body: .json(edit), matching: tag).tagged()
    }

    /// Deletes the own account.
    ///
    /// Where the answer was lost, the repetition is ``AfterwordError/uncertain(_:)``: an account that is gone has no
    /// token, nor has one that was signed out meanwhile.
    ///
    /// - Parameter heir: the address of the account to which its series go; without one they go to the trash.
    public func leave(heir: String? = nil, matching tag: ETag? = nil) async throws {
        _ = try await call(.leave, body: .json(Departure(heir: heir)), matching: tag)
    }

    /// Everything that is stored about oneself.
    public func myData() async throws -> PersonalData {
        try await call(.getMyData).value()
    }

    /// The own picture; ``AfterwordProblem/Code/notFound`` without one.
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
