import { effect, signal } from '@preact/signals';
import type { ApiError } from '../api/api.ts';
import type { PlanBatchResult } from '../api/schemas.ts';
import { readJson, writeJson } from '../shell/stored-json.ts';

/** A model in a race, with its provider. */
export interface Racer {
  readonly provider: string;
  readonly model: string;
}

/** The maximum number of models in a race. */
export const MAX_RACERS = 6;

/** The place of a job in a race. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** A request of a race that this page sends. */
export interface Unsent extends Place {
  readonly racer: Racer;
  readonly prompt: string;
  /** `sent` if the bridge has accepted the request and the page may not know the job yet. */
  readonly state: 'sending' | 'sent' | 'stopped' | ApiError;
}

/** Returns true if a request was refused or stopped, so that it can be sent again. */
export function isNotSent({ state }: Unsent): boolean {
  return typeof state === 'object' || state === 'stopped';
}

/** The plan of a race, as far as it is known. */
export type RacePlan =
  | { readonly state: 'planning' }
  | { readonly state: 'planned'; readonly plan: PlanBatchResult }
  | { readonly state: 'refused'; readonly error: ApiError };

/** Creates the state of the next race and of the races that are being sent. It outlives the views, whose code is loaded later. */
export function createRaceState() {
  const racers = signal(readRacers());
  effect(() => writeRacers(racers.value));
  return {
    /** The chosen models, which this browser remembers. */
    racers,
    /** True if each line of the prompt is a prompt of its own. */
    isList: signal(false),
    /** True if models are numbered until the winners are chosen. */
    hidesNames: signal(false),
    plan: signal<RacePlan | undefined>(undefined),
    /** The requests of races that this page has started, by the id of their race and by `placeKey`. */
    unsent: signal<ReadonlyMap<string, ReadonlyMap<string, Unsent>>>(new Map()),
    /** The functions that send requests of a race again, by the id of the race. */
    resend: new Map<string, (requests: readonly Unsent[]) => void>(),
  };
}

const KEY = 'image-bridge.race-models';

function readRacers(): readonly Racer[] {
  const kept = readJson(localStorage, KEY);
  return Array.isArray(kept) ? kept.filter(isRacer).slice(0, MAX_RACERS) : [];
}

function isRacer(kept: unknown): kept is Racer {
  const { provider, model } = Object(kept) as Partial<Racer>;
  return typeof provider === 'string' && typeof model === 'string';
}

function writeRacers(racers: readonly Racer[]): void {
  writeJson(localStorage, KEY, racers.length === 0 ? undefined : racers);
}

export function placeKey({ row, column }: Place): string {
  return `${row}-${column}`;
}

export function isSame(one: Racer, other: Racer): boolean {
  return one.provider === other.provider && one.model === other.model;
}

/** Returns the path of a race, or of a new race. */
export function racePath(id?: string): string {
  return id === undefined ? '/race' : `/race/${encodeURIComponent(id)}`;
}
