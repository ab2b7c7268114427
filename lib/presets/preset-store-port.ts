import type { PresetTemplate } from '../contract/resources/preset.ts';

/** A preset as it is kept. Times are Unix seconds. */
export interface PresetRecord {
  readonly name: string;
  readonly description?: string;
  readonly template: PresetTemplate;
  readonly createdSecs: number;
  /** Of the creation, or of the last replacement. */
  readonly updatedSecs: number;
}

/**
 * The presets of this instance, one space for all scopes. Every method is one transaction and has been made durable when
 * it resolves. Throws `overloaded` when the store refuses to write, `internal` when it is damaged.
 */
export interface PresetStore {
  /** Throws `preset_exists`, and changes nothing, when the name is taken; names differ by their exact bytes. */
  create(preset: PresetRecord): Promise<void>;
  /** Replaces everything but the time of creation; undefined when there is no such preset. */
  replace(preset: Omit<PresetRecord, 'createdSecs'>): Promise<PresetRecord | undefined>;
  /** Whether there was one. */
  remove(name: string): Promise<boolean>;
  find(name: string): Promise<PresetRecord | undefined>;
  /** By name, after `after` where it is given; `more` when the page is not the last one. */
  list(page: {
    readonly after?: string;
    readonly limit: number;
  }): Promise<{ readonly items: readonly PresetRecord[]; readonly more: boolean }>;
}
