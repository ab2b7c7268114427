interface Settings {
  readonly image_model: string;
  /** A text is the name of a family. */
  readonly model_profiles: { readonly [model: string]: unknown };
}

/** The names by which the family of a model is known, the best first: what the operator says of it, its own, then those of the default model. */
export function familyNames(
  model: string,
  { image_model, model_profiles }: Settings,
): readonly string[] {
  return [model, image_model].flatMap((name) => {
    const profile = model_profiles[name];
    return typeof profile === 'string' ? [profile, name] : [name];
  });
}
