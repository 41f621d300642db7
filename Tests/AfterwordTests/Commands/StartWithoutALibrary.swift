import Store
import Testing

@testable import afterword

@Suite struct StartWithoutALibrary {
    @Test func missingLibraryIsNamed() {
        let ending = Ending(Store.LibraryFailure(description: "ICU lacks its data. Install it anew."))
        #expect(ending.status == .failed && !ending.isAnswer)
        #expect(ending.text == "ICU lacks its data. Install it anew.")
    }
}
