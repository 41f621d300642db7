import Store

// Names of the store's types for files that also use the contract's types of the same names.
typealias StoredMeeting = Meeting
typealias StoredTextAnswer = TextAnswer
