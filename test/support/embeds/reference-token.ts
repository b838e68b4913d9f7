/** The rules of an embed token in the fewest lines: what was taken, and which permits are open or with a submit. */
export class ReferenceToken {
  used = 0;
  revokedUntilMs = 0;
  endsAtMs = 0;
  readonly open = new Map<string, number>();
  readonly held = new Map<string, { readonly lapsesAtMs: number; readonly isUnit: boolean }>();

  canTake = (max: number | null) => max === null || this.used < max;
  canHold = (permit: string, nowMs: number) => (this.open.get(permit) ?? 0) > nowMs;
  took(permit: string | null, nowMs: number, lifeMs: number): void {
    this.used++;
    if (permit !== null) {
      this.open.set(permit, nowMs + lifeMs);
    }
  }
  gotUnit(hold: string, nowMs: number, lifeMs: number): void {
    this.used++;
    this.held.set(hold, { lapsesAtMs: nowMs + lifeMs, isUnit: true });
  }
  gotPermit(permit: string): void {
    this.held.set(permit, { lapsesAtMs: this.open.get(permit) ?? 0, isUnit: false });
    this.open.delete(permit);
  }
  settled(hold: string, isUsed: boolean, nowMs: number): void {
    const held = this.held.get(hold);
    this.held.delete(hold);
    if (held !== undefined && !isUsed && held.lapsesAtMs > nowMs) {
      this.used -= held.isUnit ? 1 : 0;
      if (!held.isUnit) {
        this.open.set(hold, held.lapsesAtMs);
      }
    }
  }
}
