import { assert, type Clock, nsFromSeconds } from '../base/index.ts';
import type { EngineOptions, EngineRequest } from '../engine/index.ts';
import { ReplicaPool, type ServiceParts } from './replica-pool.ts';
import type { RoutedPrompt } from './router.ts';
import type { Forget, ServiceReport, ServingBackend, Submit } from './serving-backend.ts';
import type { ReplicaListener, SimulatedReplica } from './simulated-replica.ts';

/** How keys and values come from a prefill replica to a decode replica. */
export interface KvTransferOptions {
  /** Of every transfer, whatever its size. ≥ 0. */
  readonly latencyNs: number;
  /** Of the link out of each prefill replica, which sends one prompt after another. `null` = no end. */
  readonly bytesPerSecond: number | null;
  /** What the prompt's tokens hold on all devices of a replica together. ≥ 0. */
  readonly kvBytesOf: (promptTokens: number) => number;
}

/**
 * Prefill and decode on replicas of their own.
 *
 * The first token is the prefill's (`prefill`, as DistServe and Splitwise serve it) and the second
 * one waits for transfer and decode side; or the user sees no token before the decode side's
 * (`decode`, as behind vLLM's proxy, which throws the prefill's token away).
 */
export interface DisaggregationOptions {
  readonly firstToken: 'prefill' | 'decode';
  /** Of each decode replica; without prefix caching. */
  readonly decodeEngine: EngineOptions;
  /** ≥ 1. */
  readonly decodeReplicas: number;
  readonly transfer: KvTransferOptions;
}

/** A request whose prefill is done and whose memory there is not free yet. */
interface Handover {
  readonly prefill: SimulatedReplica;
  readonly decode: SimulatedReplica;
  readonly promptTokens: number;
  readonly readyNs: number;
}

/**
 * A prompt is computed by a prefill replica, which keeps its keys and values until they have been
 * fetched. The least busy decode replica takes the request: as soon as it has a place and blocks
 * for the whole prompt, they are sent; when they have come, it takes part in the next step there.
 * So decode replicas short of memory fill up the prefill replicas' memory, and then the queue.
 */
export class DisaggregatedBackend implements ServingBackend {
  readonly #options: DisaggregationOptions;
  readonly #parts: ServiceParts;
  readonly #clock: Clock;
  readonly #prefills: ReplicaPool;
  readonly #decodes: ReplicaPool;
  readonly #handovers = new Map<string, Handover>();
  /** Until when the link out of a prefill replica is busy. */
  readonly #linkFreeNs = new Map<SimulatedReplica, number>();
  readonly #transfers = { transfers: 0, bytes: 0, heldNs: 0, linkWaitNs: 0 };

  constructor(parts: ServiceParts, options: DisaggregationOptions) {
    const { decodeEngine, decodeReplicas } = options;
    this.#options = options;
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#prefills = new ReplicaPool({
      ...parts,
      role: 'prefill',
      firstRank: 0,
      onPlaced: () => {},
    });
    this.#decodes = new ReplicaPool({
      ...parts,
      role: 'decode',
      firstRank: parts.replicas,
      engine: decodeEngine,
      replicas: decodeReplicas,
      router: 'leastOutstanding',
      queueTimeoutNs: null,
      onPlaced: (id) => this.#send(id),
    });
  }

  route(prompt: RoutedPrompt): Submit {
    const prefill = this.#prefills.route(prompt);
    return (request, listener) => this.#submit(prefill, request, listener);
  }

  close(): void {}

  report(): ServiceReport {
    const [replicas, decodeReplicas] = [this.#parts.replicas, this.#options.decodeReplicas];
    const replicaNs = this.#prefills.replicaNs();
    const decodeReplicaNs = this.#decodes.replicaNs();
    return {
      pools: [
        { role: 'prefill', replicas, events: [], replicaNs },
        { role: 'decode', replicas: decodeReplicas, events: [], replicaNs: decodeReplicaNs },
      ],
      transfers: { ...this.#transfers },
    };
  }

  #submit(prefill: SimulatedReplica, request: EngineRequest, listener: ReplicaListener): Forget {
    if (!fitsDecode(this.#options.decodeEngine, request)) {
      listener.rejected('contextLength');
      return () => {};
    }
    const { id } = request;
    let forget: Forget = () => prefill.cancel(id);
    const { firstToken } = this.#options;
    const isWhole = firstToken === 'prefill' && request.outputTokens === 1;
    const onlyPrompt = { ...request, outputTokens: 1 };
    prefill.submit(isWhole ? onlyPrompt : { ...onlyPrompt, handsOver: true }, {
      rejected: (reason) => listener.rejected(reason),
      started: (cachedTokens) => listener.started(cachedTokens),
      tokens: (atNs) => {
        if (firstToken === 'prefill') listener.tokens(atNs, isWhole);
        if (!isWhole) forget = this.#handOver(request, prefill, listener);
      },
    });
    return () => forget();
  }

  #handOver(request: EngineRequest, prefill: SimulatedReplica, listener: ReplicaListener): Forget {
    const { id } = request;
    const decode = this.#decodes.route({ blockIds: [], blocks: 1 });
    const readyNs = this.#clock.nowNs();
    this.#handovers.set(id, { prefill, decode, promptTokens: request.promptTokens, readyNs });
    decode.submit(asDecoded(request, this.#options.firstToken), {
      rejected: () => assert(false, 'what does not fit is rejected at the door'),
      started: () => {},
      tokens: (atNs, last) => listener.tokens(atNs, last),
    });
    return () => {
      this.#release(id);
      decode.cancel(id);
    };
  }

  /** The decode side has made room. */
  #send(id: string): void {
    const handover = this.#handovers.get(id);
    assert(handover !== undefined, `request ${id} has nothing to send`);
    const { latencyNs, bytesPerSecond, kvBytesOf } = this.#options.transfer;
    const nowNs = this.#clock.nowNs();
    const bytes = kvBytesOf(handover.promptTokens);
    const beginNs = Math.max(nowNs, this.#linkFreeNs.get(handover.prefill) ?? 0);
    const sentNs = beginNs + (bytesPerSecond === null ? 0 : nsFromSeconds(bytes / bytesPerSecond));
    this.#linkFreeNs.set(handover.prefill, sentNs);
    this.#transfers.linkWaitNs += beginNs - nowNs;
    this.#clock.at(sentNs + latencyNs, () => {
      // Forgotten in the meantime: what was on its way is of no use.
      if (this.#handovers.get(id) !== handover) return;
      this.#transfers.transfers += 1;
      this.#transfers.bytes += bytes;
      this.#release(id);
      handover.decode.received(id);
    });
  }

  /** The prefill side's memory of a request is free again. */
  #release(id: string): void {
    const handover = this.#handovers.get(id);
    if (handover === undefined) return;
    this.#handovers.delete(id);
    this.#transfers.heldNs += this.#clock.nowNs() - handover.readyNs;
    handover.prefill.cancel(id);
  }
}

/**
 * A request as the decode side gets it: with the prefill's token as the last one of its prompt, or
 * with the prompt's own last token to compute again, as vLLM does to get a first token.
 */
function asDecoded(
  { id, promptTokens, outputTokens, priority }: EngineRequest,
  firstToken: DisaggregationOptions['firstToken'],
): EngineRequest {
  const lengths =
    firstToken === 'prefill'
      ? { promptTokens: promptTokens + 1, outputTokens: outputTokens - 1 }
      : { promptTokens, outputTokens };
  return {
    id,
    ...lengths,
    ...(priority === undefined ? {} : { priority }),
    receivedTokens: lengths.promptTokens - 1,
  };
}

/** Whether the decode side could ever hold it, which is known at the door. */
function fitsDecode(
  { memory, limits }: EngineOptions,
  { promptTokens, outputTokens }: EngineRequest,
): boolean {
  const { maxModelTokens } = limits;
  if (maxModelTokens !== null && promptTokens + outputTokens > maxModelTokens) return false;
  return memory === null || promptTokens + outputTokens - 1 <= memory.blocks * memory.blockTokens;
}
