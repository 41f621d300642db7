/// The parts of the store that have no state of their own. They are created on each access.
extension Store {
    var answerExpiry: AnswerExpiry { AnswerExpiry(pool: pool, cache: cache, logger: logger) }
    public var attendees: Attendees { Attendees(pool: pool, readings: roundReadings) }
    public var calendar: MeetingCalendar { MeetingCalendar(pool: pool, zones: meetings.zones) }
    public var checkIns: CheckIns { CheckIns(pool: pool) }
    public var coHosts: CoHosts { CoHosts(pool: pool) }
    public var decisions: Decisions { Decisions(pool: pool) }
    public var erasures: Erasures { Erasures(pool: pool, cache: cache, submissions: submissions) }
    public var formInvitations: FormInvitations { FormInvitations(pool: pool, keys: keys) }
    public var importableSeries: ImportableSeries { ImportableSeries(pool: pool) }
    public var invitations: Invitations { Invitations(pool: pool) }
    public var joinCodes: JoinCodes { JoinCodes(pool: pool, permits: joinPermits) }
    public var liveTickets: LiveTickets { LiveTickets(pool: pool) }
    public var mailsAtClose: MailsAtClose { MailsAtClose(pool: pool) }
    public var meetingImages: MeetingImages { MeetingImages(pool: pool) }
    public var outbox: Outbox { Outbox(pool: pool) }
    public var participantResultAccess: ParticipantResultAccess { ParticipantResultAccess(pool: pool, cache: cache) }
    public var passwordResets: PasswordResets { PasswordResets(pool: pool, attempts: attempts) }
    public var people: People { People(pool: pool, keys: keys) }
    public var personalLinks: PersonalLinks { PersonalLinks(pool: pool, keys: keys) }
    public var posters: PosterCodes { PosterCodes(pool: pool) }
    public var profiles: Profiles { Profiles(pool: pool, zones: meetings.zones) }
    public var rankings: Rankings { Rankings(readings: roundReadings, keys: keys) }
    public var registrations: Registrations { Registrations(pool: pool, attempts: attempts) }
    public var roster: Roster { Roster(pool: pool) }
    public var savedTemplates: SavedTemplates { SavedTemplates(pool: pool) }
    public var series: SeriesStore { SeriesStore(pool: pool, cache: cache, lists: meetings.lists) }
    public var seriesRounds: SeriesRounds { SeriesRounds(pool: pool, readings: roundReadings) }
    public var shares: Shares { Shares(pool: pool) }
    public var summaryMails: SummaryMails { SummaryMails(pool: pool) }
    public var usage: DatabaseUsage { DatabaseUsage(pool: pool) }
    public var timelines: FormTimelines { FormTimelines(pool: pool, zones: meetings.zones) }
    public var auditTrail: AuditTrail { AuditTrail(pool: pool) }
    public var verification: Verification { Verification(pool: pool) }
    public var walkIns: WalkIns { WalkIns(pool: pool) }
    public var viewerAccess: ViewerAccess { ViewerAccess(pool: pool) }
    public var webhookQueue: WebhookQueue { WebhookQueue(pool: pool, keys: keys) }
    public var weeklyDigests: WeeklyDigests { WeeklyDigests(pool: pool) }
    public var webhooks: Webhooks { Webhooks(pool: pool, keys: keys) }
}
