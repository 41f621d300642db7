import Domain
import Store

// Names for the store's types in files that also use the contract's types of the same names.
typealias StoredAttendee = Attendee
typealias StoredAuditEntry = AuditEntry
typealias StoredAuditSubject = AuditSubject
typealias StoredCalendarDay = CalendarDay
typealias StoredCheckIn = CheckIn
typealias StoredCheckInMeeting = CheckInMeeting
typealias StoredCoHost = CoHost
typealias StoredDecision = Decision
typealias StoredDecisions = Decisions
typealias StoredErasure = Erasure
typealias StoredFilteredResults = FilteredResults
typealias StoredForm = Form
typealias StoredGridAlpha = GridAlpha
typealias StoredInvitation = Invitation
typealias StoredJoinCode = JoinCode
typealias StoredJoining = Joining
typealias StoredMeeting = Meeting
typealias StoredMember = Member
typealias StoredPersonalData = PersonalData
typealias StoredPersonalLink = PersonalLink
typealias StoredProfile = Profile
typealias StoredPublicForm = PublicForm
typealias StoredSavedTemplate = SavedTemplate
typealias StoredSubmission = Submission
typealias StoredSubmissionReceipt = SubmissionReceipt
typealias StoredSubmissionRequest = SubmissionRequest
typealias StoredTextAnswer = TextAnswer
typealias StoredWebhook = Webhook
typealias StoredWebhookDelivery = WebhookDelivery
