import type { PresetTemplate } from '../contract/resources/preset.ts';

/** A stored preset. Times are Unix seconds. */
export interface PresetRecord {
  readonly name: string;
  readonly description?: string;
  readonly template: PresetTemplate;
  readonly createdSecs: number;
  /** The time of the creation or of the last replacement. */
  readonly updatedSecs: number;
}

/**
 * Stores the presets of this instance, which all scopes share. Every method is one transaction and is durable when it resolves.
 * Throws `overloaded` if the store cannot write, and `internal` if the store is damaged.
 */
export interface PresetStore {
  /** Creates a preset. Throws `preset_exists`, and changes nothing, if the name is taken. Names are compared byte by byte. */
  create(preset: PresetRecord): Promise<void>;
  /** Replaces everything but the time of creation. Resolves with undefined if there is no such preset. */
  replace(preset: Omit<PresetRecord, 'createdSecs'>): Promise<PresetRecord | undefined>;
  /** Removes a preset. Resolves with true if there was one. */
  remove(name: string): Promise<boolean>;
  find(name: string): Promise<PresetRecord | undefined>;
  /** Returns one page of presets, sorted by name, that begins after `after`. `more` is true unless the page is the last. */
  list(page: {
    readonly after?: string;
    readonly limit: number;
  }): Promise<{ readonly items: readonly PresetRecord[]; readonly more: boolean }>;
}
