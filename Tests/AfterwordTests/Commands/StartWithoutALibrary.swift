import Store
import Testing

@testable import afterword

@Suite struct StartWithoutALibrary {
    @Test func missingLibraryIsNamed() {
        let ending = Ending(Store.LibraryFailure(description: "ICU lacks its data. Reinstall it."))
        #expect(ending.status == .failed && !ending.isRequestedOutput)
        #expect(ending.text == "ICU lacks its data. Reinstall it.")
    }
}
