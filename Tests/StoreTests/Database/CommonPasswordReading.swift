import Domain
import Store
import TestSupport
import Testing

/// The list of common passwords, which is the data file of a Debian package.
@Suite struct CommonPasswordReading {
    @Test func longEntriesOfTheListAreRead() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            """
            package Data::Password::zxcvbn::RankedDictionaries::Common;
            # 'not a password' => 1,
            our %ranked_dictionaries = (
              'passwords' => {
                '123456' => 1,
                '1234567890' => 12,
                'Password12' => 400,
                'ünïcödé-words' => 7,
              },
            );
            1;
            """, to: "Common.pm")
        let list = CommonPasswords(path: path)
        #expect(list.count == 3)
        #expect(["1234567890", "password12", "ünïcödé-words"].allSatisfy(list.contains))
        #expect(!list.contains("123456") && !list.contains("passwords"))
    }

    @Test func missingListIsEmpty() throws {
        let folder = try TemporaryFolder()
        #expect(CommonPasswords(path: folder / "Common.pm").count == 0)
        #expect(CommonPasswords(path: folder.path).count == 0)
    }

    /// ASVS 5.0 requires a check against at least the 3,000 most common passwords that are long enough.
    @Test func installedListIsLongEnough() {
        #expect(CommonPasswords.installed.count >= 3_000)
        for password in ["1234567890", "password12", "Qwertyuiop", "1q2w3e4r5t", "iloveyou123", "abcdefghij"] {
            #expect(PasswordRules.standard.weakness(of: password, for: nil) == .common, "\(password)")
        }
        for password in [TestStore.password, "a long password", "correct horse battery"] {
            #expect(PasswordRules.standard.weakness(of: password, for: nil) == nil, "\(password)")
        }
    }
}
