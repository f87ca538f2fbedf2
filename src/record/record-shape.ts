/** The shape of a record in JSON. The field tables follow the types, or do not compile. */
import {
  exactly,
  flag,
  listOf,
  nullable,
  objectOf,
  oneOf,
  text,
  unionOf,
  whole,
  wholeColumn,
  wordColumn,
  type FieldShapes,
  type Shape,
} from './json-shape.ts';
import {
  OUTPUT_KINDS,
  RECORD_SCHEMA_VERSION,
  type CheckResult,
  type Dispatch,
  type DraftTokens,
  type DropReason,
  type FailureClass,
  type FinishReason,
  type LocalTokens,
  type NotReachedReason,
  type OutputEvents,
  type RecordLabels,
  type RequestEnd,
  type RequestRecord,
  type ServerError,
  type Timeline,
  type ToldLimit,
  type Usage,
} from './request-record.ts';

type OfKind<Union extends { kind: string }, Kind extends string> = Extract<Union, { kind: Kind }>;

/** The words of a union as a list that the compiler holds complete. */
function wordsOf<Word extends string>(words: Readonly<Record<Word, true>>): Shape {
  return oneOf(Object.keys(words));
}

const instant = nullable(whole);
const count = nullable(whole);
const word = nullable(text);

const dropReason = wordsOf<DropReason>({
  ceiling: true,
  late: true,
  budget: true,
  generatorLost: true,
});

const notReachedReason = wordsOf<NotReachedReason>({ stopped: true, sessionOver: true });

const failureClass = wordsOf<FailureClass>({
  dns: true,
  connect: true,
  connectTimeout: true,
  tls: true,
  socket: true,
  httpStatus: true,
  redirect: true,
  contentType: true,
  contentEncoding: true,
  protocol: true,
  utf8: true,
  json: true,
  serverError: true,
  truncated: true,
  empty: true,
  lineLimit: true,
  bodyLimit: true,
  multipleChoices: true,
});

const finishReason = wordsOf<FinishReason>({
  stop: true,
  length: true,
  toolCalls: true,
  contentFilter: true,
  other: true,
});

const dispatch = unionOf({
  sent: objectOf<OfKind<Dispatch, 'sent'>>({
    kind: exactly('sent'),
    plannedNs: whole,
    dispatchedNs: whole,
  }),
  dropped: objectOf<OfKind<Dispatch, 'dropped'>>({
    kind: exactly('dropped'),
    plannedNs: whole,
    reason: dropReason,
  }),
  notReached: objectOf<OfKind<Dispatch, 'notReached'>>(
    { kind: exactly('notReached'), plannedNs: instant, reason: notReachedReason },
    { reason: () => 'stopped' },
  ),
});

const serverError = objectOf<ServerError>({
  httpStatus: count,
  code: word,
  type: word,
  retryAfterNs: count,
  evidence: listOf(text),
});

const end = unionOf({
  completed: objectOf<OfKind<RequestEnd, 'completed'>>({ kind: exactly('completed') }),
  failed: objectOf<OfKind<RequestEnd, 'failed'>>({
    kind: exactly('failed'),
    failure: failureClass,
    error: nullable(serverError),
  }),
  timedOut: objectOf<OfKind<RequestEnd, 'timedOut'>>({
    kind: exactly('timedOut'),
    deadlineNs: whole,
  }),
  cancelled: objectOf<OfKind<RequestEnd, 'cancelled'>>({ kind: exactly('cancelled'), atNs: whole }),
});

const output = objectOf<OutputEvents>({
  atNs: wholeColumn('refused'),
  kind: wordColumn(OUTPUT_KINDS),
  bytes: wholeColumn('refused'),
  tokens: wholeColumn('allowed'),
  readId: wholeColumn('refused'),
});

const usage = objectOf<Usage>({
  promptTokens: count,
  completionTokens: count,
  reasoningTokens: count,
  cachedPromptTokens: count,
});

const told = objectOf<ToldLimit>({
  of: oneOf(['requests', 'tokens', 'inputTokens', 'outputTokens']),
  per: nullable(oneOf(['minute', 'day'])),
  limitCount: count,
  remainingCount: count,
  resetNs: count,
});

const local = objectOf<LocalTokens>({
  tokenizer: text,
  judged: flag,
  answerTokens: whole,
  reasoningTokens: whole,
  refusalTokens: whole,
  toolCallTokens: whole,
});

const timelineFields: FieldShapes<Timeline> = {
  connectedNs: instant,
  tlsDoneNs: instant,
  reused: nullable(flag),
  peer: word,
  writtenNs: instant,
  firstByteNs: instant,
  firstEventNs: instant,
  lastChoicesEventNs: instant,
  usageAtNs: instant,
  finishNs: instant,
  terminalNs: instant,
  doneNs: instant,
  bodyEndNs: instant,
  output,
  usage: nullable(usage),
  local: nullable(local),
  draft: nullable(objectOf<DraftTokens>({ proposedTokens: whole, acceptedTokens: whole })),
  finishReason: nullable(finishReason),
  limits: listOf(told),
  commentCount: whole,
  bodyBytes: whole,
  notes: listOf(text),
};

const timeline = objectOf(timelineFields, {
  local: () => null,
  draft: () => null,
  limits: () => [],
});

const labels = objectOf<RecordLabels>({
  model: word,
  tenant: word,
  class: word,
  region: word,
  session: word,
});

const recordFields: FieldShapes<RequestRecord> = {
  schemaVersion: exactly(RECORD_SCHEMA_VERSION),
  source: oneOf(['measured', 'simulated', 'imported']),
  clock: oneOf(['client', 'edge', 'server']),
  experimentHash: text,
  pointIndex: whole,
  scheduleIndex: whole,
  requestId: text,
  logicalRequestId: text,
  attempt: whole,
  nextTryNs: instant,
  labels,
  promptTokensPlanned: count,
  outputTokensMax: count,
  streamed: flag,
  oneTokenPerEvent: flag,
  inFlightAtDispatch: count,
  dispatch,
  timeline: nullable(timeline),
  end: nullable(end),
  httpStatus: count,
  queueNs: count,
  checks: listOf(objectOf<CheckResult>({ name: text, passed: flag })),
  traceId: word,
};

/** Every field of {@link RequestRecord}, and nothing else. */
export const recordShape: Shape = objectOf(recordFields, { nextTryNs: () => null });
