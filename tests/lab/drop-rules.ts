import { parseTcp } from './packet.ts';
import type { DropRule } from './types.ts';

/** Decides which packets the line loses. */
export class Losses {
  rule: DropRule | null = null;
  /** Ports whose SYN was lost by the rule, so that its repetition passes. */
  readonly #lostSyns = new Set<number>();
  /** The prober's port whose server segments are counted, and how many there were. */
  #watched: number | null = null;
  #segments = 0;

  replace(rule: DropRule | null): void {
    this.rule = rule;
    this.#lostSyns.clear();
    this.#watched = null;
    this.#segments = 0;
  }

  /** Whether this packet is lost; `side` is who sent it. */
  loses(packet: Buffer, side: 'prober' | 'server'): boolean {
    if (this.rule === null) return false;
    return this.rule.what === 'syn' ? this.#losesSyn(packet, side) : this.#losesData(packet, side, this.rule.nth);
  }

  #losesSyn(packet: Buffer, side: 'prober' | 'server'): boolean {
    const tcp = side === 'prober' ? parseTcp(packet) : null;
    if (!tcp?.syn || this.#lostSyns.has(tcp.fromPort)) return false;
    const most = this.rule?.what === 'syn' ? (this.rule.connections ?? 1) : 0;
    if (this.#lostSyns.size >= most) return false;
    this.#lostSyns.add(tcp.fromPort);
    return true;
  }

  #losesData(packet: Buffer, side: 'prober' | 'server', nth: number): boolean {
    const tcp = parseTcp(packet);
    if (!tcp) return false;
    if (side === 'prober') {
      if (tcp.syn) this.#watched ??= tcp.fromPort;
      return false;
    }
    if (tcp.toPort !== this.#watched || tcp.payload.length === 0) return false;
    this.#segments += 1;
    return this.#segments === nth;
  }
}
