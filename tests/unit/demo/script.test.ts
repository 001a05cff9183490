import { describe, expect, it } from 'vitest';
import { pathBetween } from '#demo/places.ts';
import { congestionAt, deployBefore, deployedOrigin, nextDeploy, presentConditions } from '#demo/present/script.ts';

const MADE = Date.UTC(2026, 10, 21, 9, 30);
const minutes = (n: number) => MADE + n * 60_000;

describe("the demo's present", () => {
  it('congests one carrier after another for seven minutes an hour, the first after two minutes', () => {
    const carriers = [1.9, 6, 9.1, 66, 126, 186].map((minute) => congestionAt(MADE, minutes(minute))?.carrier ?? null);
    expect(carriers).toEqual([null, 'unicom', null, 'mobile', 'telecom', 'unicom']);
  });

  it('begins as soon at every minute of the hour', () => {
    for (let minute = 0; minute < 60; minute += 7) {
      const made = minutes(minute);
      expect(congestionAt(made, made + 119_000)).toBeNull();
      expect(congestionAt(made, made + 180_000)?.weight).toBe(1);
    }
  });

  it('comes and goes within a minute', () => {
    const weights = [2, 2.5, 3, 8, 8.5, 9].map((minute) => congestionAt(MADE, minutes(minute))?.weight ?? 0);
    expect(weights).toEqual([0, 0.5, 1, 1, 0.5, 0]);
  });

  it('delays and loses on the congested carrier alone', () => {
    const conditions = presentConditions(MADE);
    const origin = { region: 'CN-SH', carrier: 'telecom' };
    const line = (carrier: string, at: number) => conditions({ region: 'CN-GD', carrier }, origin, at);
    const usual = (carrier: string) => pathBetween({ region: 'CN-GD', carrier }, origin, minutes(6));
    expect(line('mobile', minutes(6))).toEqual(usual('mobile'));
    expect(line('unicom', minutes(20))).toEqual(usual('unicom'));
    const { rttMs, loss } = line('unicom', minutes(6));
    expect(rttMs - usual('unicom').rttMs).toBeCloseTo(55);
    expect(loss - usual('unicom').loss).toBeCloseTo(0.02);
  });

  it('deploys an origin that loses its sessions after both, for a quarter of an hour, four times a day', () => {
    expect(deployBefore('lostSessions', MADE, minutes(23))).toBeNull();
    expect(nextDeploy('lostSessions', MADE, minutes(0))).toEqual({ atMs: minutes(24), costly: true });
    expect(deployBefore('lostSessions', MADE, minutes(30))).toEqual({ atMs: minutes(24), costly: true });
    expect(nextDeploy('lostSessions', MADE, minutes(30))).toEqual({ atMs: minutes(39), costly: false });
    expect(nextDeploy('lostSessions', MADE, minutes(39))).toEqual({ atMs: minutes(24 + 6 * 60), costly: true });
    expect(deployedOrigin('lostSessions')).not.toBe(deployedOrigin('costlyGroup'));
  });

  it('deploys an origin with a costly setting once a day and takes it back after twelve hours', () => {
    expect(deployBefore('costlyGroup', MADE, minutes(11.9))).toBeNull();
    expect(deployBefore('costlyGroup', MADE, minutes(12))).toEqual({ atMs: minutes(12), costly: true });
    expect(deployBefore('costlyGroup', MADE, minutes(12 + 13 * 60))).toEqual({
      atMs: minutes(12 + 12 * 60),
      costly: false,
    });
    expect(deployBefore('costlyGroup', MADE, minutes(20 + 24 * 60))).toEqual({
      atMs: minutes(12 + 24 * 60),
      costly: true,
    });
    expect(nextDeploy('costlyGroup', MADE, minutes(0))).toEqual({ atMs: minutes(12), costly: true });
    expect(nextDeploy('costlyGroup', MADE, minutes(12))).toEqual({ atMs: minutes(12 + 12 * 60), costly: false });
    expect(nextDeploy('costlyGroup', MADE, minutes(12 + 12 * 60))).toEqual({
      atMs: minutes(12 + 24 * 60),
      costly: true,
    });
  });
});
